//@ run: check
//@ revisions: none unbounded
//@[none] flags: --preemptions 0
// Who goes next when a thread has ended or waits is free: three critical sections of three threads come in all 3! orders.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sections;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    sections++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
//~[none,unbounded] SAFE executions=6
