//@ run: check
//@ revisions: relaxed half seq_cst acq_rel sc consumed
//@[sc,consumed] flags: --memory=sc
// Message passing. Relaxed accesses order nothing, nor does a release store that a relaxed load reads; an acquire load
// of a release store does. Where weaker orders than seq_cst allow more than interleaving shows, the result is inconclusive, unless
// the user accepts that. Executions: the load before the store, or after it.
#include <pthread.h>
#include <stdatomic.h>

#if defined relaxed
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#elif defined half
#define STORE memory_order_release
#define LOAD memory_order_relaxed
#elif defined seq_cst
#define STORE memory_order_seq_cst
#define LOAD memory_order_seq_cst
#elif defined consumed
#define STORE memory_order_release
#define LOAD memory_order_consume
#else
#define STORE memory_order_release
#define LOAD memory_order_acquire
#endif

static int data;
static atomic_int ready;

static void *sender(void *arg)
{
    data = 42; //~[relaxed,half] RACE@data write
    atomic_store_explicit(&ready, 1, STORE);
    return arg;
}

int main(void)
{
    pthread_t t;
    int got = 0;
    pthread_create(&t, NULL, sender, NULL);
    if (atomic_load_explicit(&ready, LOAD))
        got = data; //~[relaxed,half] RACE@data read
    pthread_join(t, NULL);
    return got;
}
//~[seq_cst] SAFE executions=2
//~[acq_rel] SAFE executions=2
//~[sc,consumed] SAFE executions=2
