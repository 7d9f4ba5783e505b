//@ run: check
//@ revisions: owned looked told
// Threads hand blocks to each other through one pointer, and free what they get: each block has one owner at a time. Who only looks reads a
// block that another may free meanwhile; and if it was told of that before it reads, there is no race left, only the mistake.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic box;
static atomic_int freed;

static void *owner(void *arg)
{
    for (;;) {
        int *block = malloc(sizeof *block);
        *block = 1;
        block = atomic_exchange(&box, block);
        free(block);
        block = atomic_exchange(&box, NULL);
        free(block); //~[looked,told] RACE@taken free
        freed = 1;
    }
    return arg;
}

static void *reader(void *arg)
{
    int sum = 0;
    for (;;) {
        int *block = atomic_load(&box);
#ifdef told
        sum = freed;
#endif
        if (block)
            sum = *block; //~[looked,told] RACE@taken read //~[told] USE_AFTER_FREE
    }
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, owner, NULL);
#ifdef owned
    pthread_create(&threads[1], NULL, owner, NULL);
#else
    pthread_create(&threads[1], NULL, reader, NULL);
#endif
    pthread_join(threads[0], NULL);
    return 0;
}
//~[owned] SAFE
