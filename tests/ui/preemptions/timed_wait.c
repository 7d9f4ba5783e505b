//@ run: check
//@ revisions: faulty right
//@[faulty,right] flags: --preemptions 0 --spurious 0
// A thread in a timed wait might time out at any moment, but waits all the same: leaving it is no preemption, so that the
// signal can come first.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *producer(void *arg)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *consumer(void *arg)
{
    struct timespec soon = {1, 0};
    pthread_mutex_lock(&lock);
    if (!ready) {
        int timed_out = pthread_cond_timedwait(&changed, &lock, &soon);
#ifdef faulty
        assert(timed_out); //~[faulty] ASSERTION
#else
        assert(timed_out || ready);
#endif
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
//~[right] SAFE
