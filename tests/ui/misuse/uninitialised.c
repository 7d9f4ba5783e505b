//@ run: check
//@ revisions: hidden ordered initialised
// A mutex that nobody has initialised is a failure, and hides none of those behind it: locks are taken in two orders.
#include <pthread.h>
#include <stdlib.h>

struct pair {
    pthread_mutex_t a, b;
};

static struct pair *pair;

static void *worker(void *arg)
{
#ifdef ordered
    pthread_mutex_lock(&pair->a);
    pthread_mutex_lock(&pair->b); //~[ordered] LOCK_MISUSE
#else
    pthread_mutex_lock(&pair->b); //~[hidden] LOCK_MISUSE
    pthread_mutex_lock(&pair->a); //~[hidden,initialised] DEADLOCK
#endif
    pthread_mutex_unlock(&pair->a);
    pthread_mutex_unlock(&pair->b);
    return arg;
}

int main(void)
{
    pthread_t t;
    pair = malloc(sizeof *pair);
    pthread_mutex_init(&pair->a, NULL);
#ifdef initialised
    pthread_mutex_init(&pair->b, NULL);
#endif
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&pair->a);
    pthread_mutex_lock(&pair->b); //~[hidden,ordered] LOCK_MISUSE
                                  //~^[hidden,initialised] DEADLOCK
    pthread_mutex_unlock(&pair->b);
    pthread_mutex_unlock(&pair->a);
    pthread_join(t, NULL);
    return 0;
}
