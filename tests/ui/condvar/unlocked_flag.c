//@ run: check
//@ revisions: unlocked locked
// A signal orders nothing by itself: the flag set outside the lock races with the waiter who reads it inside.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *setter(void *arg)
{
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    ready = 1; //~[unlocked] RACE@flag write
#ifdef unlocked
    pthread_mutex_lock(&lock);
#endif
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_cond_init(&changed, NULL);
    pthread_create(&t, NULL, setter, NULL);
    pthread_mutex_lock(&lock);
    while (!ready) //~[unlocked] RACE@flag read
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    pthread_cond_destroy(&changed);
    return 0;
}
//~[locked] SAFE
