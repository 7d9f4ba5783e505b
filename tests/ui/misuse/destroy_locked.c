//@ run: check
//@ revisions: early late
// Destroying a mutex while another thread may hold it.
#include <pthread.h>

static pthread_mutex_t lock;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_init(&lock, NULL);
#ifdef early
    pthread_mutex_lock(&lock);
    pthread_mutex_destroy(&lock); //~[early] LOCK_MISUSE
    return 0;
#endif
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
//~[late] SAFE executions=1
