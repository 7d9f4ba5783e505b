//@ run: check
//@ revisions: normal recursive
// Locking again what one holds: a normal mutex waits for itself forever, a recursive one counts.
#include <pthread.h>

static pthread_mutex_t lock;
static int depth;

static void enter(int n)
{
    pthread_mutex_lock(&lock); //~[normal] DEADLOCK
    depth++;
    if (n > 0)
        enter(n - 1);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    enter(1);
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
#ifdef recursive
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
#else
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
#endif
    pthread_mutex_init(&lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    enter(2);
    return depth - 5;
}
//~[recursive] SAFE executions=1
