//@ run: check
//@ revisions: trusts none looks
//@[none] flags: --spurious 0
// A wait with a time limit may come back without a signal before the limit is over, as any wait may.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *setter(void *arg)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec soon = {.tv_sec = 1};
    int error = 0;
    pthread_create(&t, NULL, setter, NULL);
    pthread_mutex_lock(&mutex);
#ifdef looks
    while (!ready && !error)
#else
    if (!ready)
#endif
        error = pthread_cond_timedwait(&changed, &mutex, &soon);
    assert(ready || error); //~[trusts] ASSERTION
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
//~[none,looks] SAFE
