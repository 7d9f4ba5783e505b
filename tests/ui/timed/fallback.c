//@ run: check
//@ revisions: careless careful
// When a lock is not to be had in time, a fallback runs: it must not touch what the lock guards. Executions of the twin: the
// timed lock comes before the other's critical section, in it, or after it; before, the other waits.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;
static _Atomic int missed;

static void *other(void *arg)
{
    pthread_mutex_lock(&lock);
    hits++; //~[careless] RACE@hits read //~[careless] RACE@write write
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec soon = {.tv_sec = 1};
    pthread_create(&t, NULL, other, NULL);
    if (pthread_mutex_timedlock(&lock, &soon) == 0) {
        hits++;
        pthread_mutex_unlock(&lock);
    } else {
#ifdef careless
        hits = 1; //~[careless] RACE@hits write //~[careless] RACE@write write
#else
        missed++;
#endif
    }
    pthread_join(t, NULL);
    return 0;
}
//~[careful] SAFE executions=3
