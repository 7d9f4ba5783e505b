//@ run: check
//@ revisions: different same
// Two threads, each with a lock, but not the same one. Three critical sections of one lock in the twin, two of them of one
// thread: three orders.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int x;

#ifdef same
#define OTHER first
#else
#define OTHER second
#endif

static void *worker(void *arg)
{
    pthread_mutex_lock(&first);
    x = 1; //~[different] RACE@locks write
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&OTHER);
    x = 2; //~[different] RACE@locks write
    pthread_mutex_unlock(&OTHER);
    pthread_join(t, NULL);
    return 0;
}
//~[same] SAFE executions=3
