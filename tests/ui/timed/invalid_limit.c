//@ run: check
//@ revisions: carried uncarried
// A limit that is no time: adding to the nanoseconds of the clock without carrying makes the wait fail at once, with the mutex
// held, which a loop that only knows of time-outs takes for being signalled.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t thread;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 500000000;
#ifdef carried
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_nsec -= 1000000000;
        limit.tv_sec++;
    }
#endif
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    int result = 0;
    if (!done)
        result = pthread_cond_timedwait(&condition, &mutex, &limit);
    assert(result == 0 || result == ETIMEDOUT); //~[uncarried] ASSERTION inputs=clock_gettime.tv_nsec
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
//~[carried] SAFE
