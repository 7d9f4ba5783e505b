//@ run: check
//@ revisions: fences one
// Two fences of sequential consistency are ordered by what the thread of one reads of another's write that the other's has missed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen, missed;

static void *writer(void *argument)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return argument;
}

static void *reader(void *argument)
{
    seen = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    missed = !atomic_load_explicit(&y, memory_order_relaxed);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
#ifdef fences
    atomic_thread_fence(memory_order_seq_cst);
#endif
    int too = !atomic_load_explicit(&x, memory_order_relaxed);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(!(seen && missed && too));
    return 0;
}
//~[fences] SAFE
//~[one] INCONCLUSIVE ledger=weak_memory
