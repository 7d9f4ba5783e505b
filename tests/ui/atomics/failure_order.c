//@ run: check
//@ flags: --memory=sc
//@ revisions: relaxed acquire after_release seq_cst
// A compare-and-exchange that fails is a load with an order of its own, which may be the stronger one (C17 7.17.7.4p2): what it
// reads from a release store is ordered before it if it acquires, whatever a success would have done.
#include <pthread.h>
#include <stdatomic.h>

#if defined relaxed
#define SUCCESS memory_order_acq_rel
#define FAILURE memory_order_relaxed
#elif defined acquire
#define SUCCESS memory_order_relaxed
#define FAILURE memory_order_acquire
#elif defined after_release
#define SUCCESS memory_order_release
#define FAILURE memory_order_acquire
#else
#define SUCCESS memory_order_relaxed
#define FAILURE memory_order_seq_cst
#endif

static int data;
static atomic_int ready;

static void *sender(void *arg)
{
    data = 42; //~[relaxed] RACE@data write
    atomic_store_explicit(&ready, 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t t;
    int expected = 0, got = 0;
    pthread_create(&t, NULL, sender, NULL);
    if (!atomic_compare_exchange_strong_explicit(&ready, &expected, 0, SUCCESS, FAILURE))
        got = data; //~[relaxed] RACE@data read
    pthread_join(t, NULL);
    return got;
}
//~[acquire,after_release,seq_cst] SAFE executions=2
