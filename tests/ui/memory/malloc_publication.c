//@ run: check --memory=sc
//@ revisions: relaxed release
// Who gets a block by a relaxed atomic may come to it before it is there, also where nobody has written to it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic published;

static void *producer(void *arg)
{
    int *block = malloc(sizeof *block); //~[relaxed] RACE@block write
#ifdef relaxed
    atomic_store_explicit(&published, block, memory_order_relaxed);
#else
    atomic_store_explicit(&published, block, memory_order_release);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    int *block = atomic_load_explicit(&published, memory_order_acquire);
    if (block)
        *block = 18; //~[relaxed] RACE@block write
    pthread_join(t, NULL);
    return 0;
}
//~[release] SAFE executions=2
