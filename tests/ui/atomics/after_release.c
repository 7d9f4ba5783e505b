//@ run: check --memory sc
//@ revisions: released relaxed
// A plain write comes before the store behind it, and so before a load that reads from that: where a flag without an order says that it is
// there, the two do not race. Without release they do.
#include <pthread.h>
#include <stdatomic.h>

#ifdef released
#define ORDER memory_order_release
#else
#define ORDER memory_order_relaxed
#endif

static int cell;
static atomic_int written;

static void *writer(void *arg)
{
    cell = 1; //~[relaxed] RACE@cell write
    __atomic_store_n(&cell, 2, ORDER);
    atomic_store_explicit(&written, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    if (atomic_load_explicit(&written, memory_order_relaxed)) {
        __atomic_load_n(&cell, memory_order_acquire); //~[relaxed] RACE@cell read
    }
    pthread_join(t, NULL);
    return 0;
}
//~[released] SAFE
