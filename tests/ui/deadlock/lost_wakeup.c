//@ run: check
//@ revisions: lost kept
// A signal that nobody waits for is lost: without a condition to look at first, the waiter waits forever.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int finished;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    finished = 1;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
#ifdef kept
    while (!finished)
#endif
        pthread_cond_wait(&done, &lock); //~[lost] DEADLOCK
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
//~[kept] SAFE
