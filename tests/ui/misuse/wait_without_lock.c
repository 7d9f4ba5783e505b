//@ run: check
//@ revisions: without with
// Waiting on a condition variable with a mutex that one does not hold.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *setter(void *arg)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
#ifdef without
    pthread_cond_wait(&changed, &lock); //~[without] LOCK_MISUSE
#else
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
#endif
    return 0;
}
//~[with] SAFE
