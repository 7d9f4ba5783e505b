//@ run: check
//@ revisions: once loop
// A wait may return without a signal: its condition belongs into a loop.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *setter(void *arg)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    pthread_mutex_lock(&lock);
#ifdef loop
    while (!ready)
#else
    if (!ready)
#endif
        pthread_cond_wait(&changed, &lock);
    assert(ready); //~[once] ASSERTION
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
//~[loop] SAFE
