//@ run: check
//@ revisions: trusting unchecked checked
//@[unchecked] flags: --fail-alloc
//@[checked] flags: --fail-alloc
// Allocations that fail are explored on demand. Executions of the twin: the allocation fails, or the thread cannot be created,
// or neither.
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg)
{
    *(int *)arg = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    int *cell = malloc(sizeof *cell);
#ifdef checked
    if (!cell)
        return 1;
    if (pthread_create(&t, NULL, worker, cell)) {
        free(cell);
        return 1;
    }
#else
    *cell = 0; //~[unchecked] NULL_DEREFERENCE
    if (pthread_create(&t, NULL, worker, cell))
        return 1;
#endif
    pthread_join(t, NULL);
    free(cell);
    return 0;
}
//~[trusting] SAFE executions=1
//~[checked] SAFE executions=3
