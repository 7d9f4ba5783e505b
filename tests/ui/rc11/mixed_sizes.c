//@ run: check
// No model says what atomic accesses of two sizes to the same bytes may see of each other.
#include <pthread.h>
#include <stdatomic.h>

static union {
    _Atomic unsigned whole;
    _Atomic unsigned short half;
} cell;

static void *other(void *argument)
{
    atomic_store_explicit(&cell.whole, 0x10001, memory_order_release);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    unsigned short seen = atomic_load_explicit(&cell.half, memory_order_acquire);
    pthread_join(thread, NULL);
    return seen > 1;
}
//~ INCONCLUSIVE ledger=weak_memory
