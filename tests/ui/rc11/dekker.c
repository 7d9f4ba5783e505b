//@ run: check
//@ revisions: fences weak_fences orders
// Who wants to enter says so and looks at the other: with fences of sequential consistency between, one sees the other at least.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];
static int n;

#if defined fences
#define ORDER memory_order_relaxed
#define FENCE memory_order_seq_cst
#elif defined weak_fences
#define ORDER memory_order_relaxed
#define FENCE memory_order_acq_rel
#else
#define ORDER memory_order_seq_cst
#define FENCE memory_order_relaxed
#endif

static void enter(int me)
{
    atomic_store_explicit(&wants[me], 1, ORDER);
    atomic_thread_fence(FENCE);
    if (!atomic_load_explicit(&wants[1 - me], ORDER))
        n++;
}

static void *other(void *argument)
{
    enter(1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    enter(0);
    pthread_join(thread, NULL);
    return n;
}
//~[fences] SAFE
//~[weak_fences] INCONCLUSIVE ledger=weak_memory
//~[orders] SAFE
