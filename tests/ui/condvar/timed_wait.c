//@ run: check
//@ revisions: trusting careful
// A timed wait may time out at any moment, so nobody may count on having been signalled.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

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
    struct timespec soon = {.tv_sec = 1};
    int r = 0;
    pthread_create(&t, NULL, setter, NULL);
    pthread_mutex_lock(&lock);
    while (!ready && r != ETIMEDOUT)
        r = pthread_cond_timedwait(&changed, &lock, &soon);
#ifdef trusting
    assert(ready); //~[trusting] ASSERTION
#else
    assert(ready || r == ETIMEDOUT);
#endif
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
//~[careful] SAFE
