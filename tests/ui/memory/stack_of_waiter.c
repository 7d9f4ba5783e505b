//@ run: check
//@ revisions: leaves waits unordered
// A function may be left before the other thread, which it heard from, is done with its variable. Or it waits for that, in
// each interleaving, by what orders nothing: the end of the variable races.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun, done;

static void *worker(void *arg)
{
    begun = 1;
    *(int *)arg = 1; //~[leaves] USE_AFTER_FREE
    //~^[unordered] RACE@end write
#ifdef unordered
    atomic_store_explicit(&done, 1, memory_order_relaxed);
#else
    done = 1;
#endif
    return NULL;
}

static void start(pthread_t *t)
{
    int local;
    pthread_create(t, NULL, worker, &local);
#ifdef leaves
    while (!begun)
        ;
#elif defined unordered
    while (!atomic_load_explicit(&done, memory_order_relaxed))
        ;
#else
    while (!done)
        ;
#endif
} //~[unordered] RACE@end free

int main(void)
{
    pthread_t t;
    start(&t);
    pthread_join(t, NULL);
    return 0;
}
//~[waits] SAFE
