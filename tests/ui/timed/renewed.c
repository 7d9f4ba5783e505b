//@ run: check
//@ revisions: counted timed wrong late
// Waits with a time limit that are renewed until the flag is set. Each round reads the clock, and what earlier rounds have read is
// forgotten: so states come back, and the loop has no bound that matters. `counted` and `wrong` tell whether more time has gone by
// than rounds were made: a clock may jump, so it may. `late` looks at the last reading but one, which is still held.
#include <assert.h>
#include <pthread.h>
#include <sys/time.h>
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
    struct timeval begin, before, now;
    gettimeofday(&begin, NULL);
    before = now = begin;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    while (!done) {
        before = now;
        gettimeofday(&now, NULL);
        struct timespec limit = { now.tv_sec + 1, now.tv_usec * 1000 };
        pthread_cond_timedwait(&condition, &mutex, &limit);
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
#ifdef counted
    assert(now.tv_sec >= begin.tv_sec);
#elif defined(wrong)
    assert(now.tv_sec - begin.tv_sec < 3); //~[wrong] ASSERTION
#elif defined(late)
    assert(now.tv_sec - before.tv_sec < 3 && before.tv_sec >= begin.tv_sec); //~[late] ASSERTION
#endif
    return 0;
}
//~[counted] SAFE
//~[timed] SAFE
