//@ run: check --memory=sc
//@ revisions: relaxed release
// The zeros of calloc are written by the thread that asks for them: who gets the block by a relaxed atomic races with that.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic published;

static void *producer(void *arg)
{
    int *block = calloc(1, sizeof *block); //~[relaxed] RACE@block write
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
    int got = 0;
    pthread_create(&t, NULL, producer, NULL);
    int *block = atomic_load_explicit(&published, memory_order_acquire);
    if (block)
        got = *block; //~[relaxed] RACE@block read
    pthread_join(t, NULL);
    return got;
}
//~[release] SAFE executions=2
