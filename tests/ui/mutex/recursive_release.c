//@ run: check
//@ revisions: early full
// A recursive mutex is free only after as many unlocks as locks: what follows the last one is unprotected.
#include <pthread.h>

static pthread_mutex_t lock;
static int data;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#ifdef early
    pthread_mutex_unlock(&lock);
#endif
    data = 1; //~[early] RACE write/write
#ifdef full
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attr);
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[full] SAFE executions=2
