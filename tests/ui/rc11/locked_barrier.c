//@ run: check
//@ revisions: barrier none
// On x86 a locked instruction that changes nothing is how some spell a full barrier.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void full_barrier(void)
{
#ifdef barrier
    int unused = 0;
    __asm__ __volatile__("lock; addl $0,%0" : "+m"(unused) : : "memory");
#endif
}

static int side(atomic_int *mine, atomic_int *other)
{
    atomic_store_explicit(mine, 1, memory_order_relaxed);
    full_barrier();
    return atomic_load_explicit(other, memory_order_relaxed);
}

static void *second(void *argument)
{
    side(&y, &x);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, second, NULL);
    side(&x, &y);
    pthread_join(thread, NULL);
    return 0;
}
//~[barrier] SAFE
//~[none] INCONCLUSIVE ledger=weak_memory
