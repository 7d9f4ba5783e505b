//@ run: check
//@ revisions: fences without
// A hazard pointer: the reader says what it reads, and looks whether it is still there; who takes it away looks whether anybody reads it. Both
// write and then read the other's variable: without fences of sequential consistency each may miss the other.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared, hazard;

static void between(void)
{
#ifdef fences
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void *reader(void *argument)
{
    int *p = atomic_load_explicit(&shared, memory_order_acquire);
    if (p) {
        atomic_store_explicit(&hazard, p, memory_order_release);
        between();
        if (atomic_load_explicit(&shared, memory_order_acquire) == p && *p != 5)
            abort();
        atomic_store_explicit(&hazard, NULL, memory_order_release);
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    int *p = malloc(sizeof *p);
    *p = 5;
    atomic_store_explicit(&shared, p, memory_order_release);
    pthread_create(&thread, NULL, reader, NULL);
    atomic_store_explicit(&shared, NULL, memory_order_release);
    between();
    if (atomic_load_explicit(&hazard, memory_order_acquire) != p)
        free(p);
    pthread_join(thread, NULL);
    return 0;
}
//~[fences] SAFE
//~[without] INCONCLUSIVE ledger=weak_memory
