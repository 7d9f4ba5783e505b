//@ run: check
//@ revisions: alone copied initialised
// What is written while no other thread runs, or by no atomic operation, has no place among the writes that weak orders are asked about.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int x, y;

static void *first(void *argument)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return argument;
}

static void *second(void *argument)
{
    atomic_exchange_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    pthread_join(thread, NULL);
#if defined alone
    atomic_store_explicit(&x, 0, memory_order_relaxed);
#elif defined copied
    static const int zero;
    memcpy(&x, &zero, sizeof x);
#else
    atomic_init(&x, 0);
#endif
    pthread_create(&thread, NULL, second, NULL);
    if (atomic_load_explicit(&y, memory_order_relaxed)) {
        int expected = 1;
        // It may find the 0 from before.
        assert(atomic_compare_exchange_strong_explicit(&x, &expected, 2, memory_order_relaxed, memory_order_relaxed));
    }
    pthread_join(thread, NULL);
    return 0;
}
//~ INCONCLUSIVE ledger=weak_memory
