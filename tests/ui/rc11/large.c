//@ run: check
// Atomics that are too large for an instruction are calls of a library: what their orders allow is not looked for.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct large {
    long a, b, c;
};

static _Atomic struct large x;
static atomic_int y;

static void *writer(void *argument)
{
    struct large one = { 1, 1, 1 };
    atomic_store_explicit(&x, one, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (atomic_load_explicit(&y, memory_order_relaxed)) {
        struct large seen = atomic_load_explicit(&x, memory_order_relaxed);
        assert(seen.a == 1);
    }
    pthread_join(thread, NULL);
    return 0;
}
//~ INCONCLUSIVE ledger=weak_memory
