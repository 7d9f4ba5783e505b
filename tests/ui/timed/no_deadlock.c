//@ run: check
//@ revisions: waits gives_up rwlock threads_h
// Two locks taken in opposite orders are no deadlock where one side gives up in time. Executions: the
// worker is through with the right one first, and then with the left one too or not; or the timed lock comes before the
// worker has the left one, or after.
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#ifdef threads_h
static mtx_t left, right;
#define LOCK mtx_lock
#define UNLOCK mtx_unlock
#define TIMED mtx_timedlock
#elif defined rwlock
static pthread_rwlock_t left = PTHREAD_RWLOCK_INITIALIZER, right = PTHREAD_RWLOCK_INITIALIZER;
#define LOCK pthread_rwlock_wrlock
#define UNLOCK pthread_rwlock_unlock
#define TIMED pthread_rwlock_timedrdlock
#else
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock
#define UNLOCK pthread_mutex_unlock
#ifdef waits
#define TIMED(lock, limit) pthread_mutex_lock(lock)
#else
#define TIMED pthread_mutex_timedlock
#endif
#endif

static void *worker(void *arg)
{
    LOCK(&left);
    LOCK(&right); //~[waits] DEADLOCK
    UNLOCK(&right);
    UNLOCK(&left);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec soon = {.tv_sec = 1};
#ifdef threads_h
    mtx_init(&left, mtx_timed);
    mtx_init(&right, mtx_timed);
#endif
    pthread_create(&t, NULL, worker, NULL);
    LOCK(&right);
    int r = TIMED(&left, &soon); //~[waits] DEADLOCK
    if (r == 0)
        UNLOCK(&left);
    UNLOCK(&right);
    pthread_join(t, NULL);
    (void)soon;
    return r == 0 || r == ETIMEDOUT || r == thrd_timedout ? 0 : 1;
}
//~[gives_up] SAFE executions=4
//~[rwlock] SAFE executions=4
//~[threads_h] SAFE executions=4
