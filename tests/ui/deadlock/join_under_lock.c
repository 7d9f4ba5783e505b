//@ run: check
//@ revisions: held released
// Joining a thread while holding what it waits for.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock); //~[held] DEADLOCK
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
#ifdef held
    pthread_join(t, NULL); //~[held] DEADLOCK
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
#endif
    return 0;
}
//~[released] SAFE executions=2
