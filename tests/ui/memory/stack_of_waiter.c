//@ run: check
//@ revisions: leaves waits
// A function may be left before the other thread, which it heard from, is done with its variable.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun, done;

static void *worker(void *arg)
{
    begun = 1;
    *(int *)arg = 1; //~[leaves] USE_AFTER_FREE
    done = 1;
    return NULL;
}

static void start(pthread_t *t)
{
    int local;
    pthread_create(t, NULL, worker, &local);
#ifdef leaves
    while (!begun)
        ;
#else
    while (!done)
        ;
#endif
}

int main(void)
{
    pthread_t t;
    start(&t);
    pthread_join(t, NULL);
    return 0;
}
//~[waits] SAFE
