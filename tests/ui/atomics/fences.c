//@ run: check --memory=sc
//@ revisions: none release_only compiler_only both
// Relaxed accesses with fences: a release fence before the store and an acquire fence after the load synchronise
// (C11 7.17.4). One of them is not enough, and atomic_signal_fence orders nothing between threads.
// (ThreadSanitizer does not know fences and reports the last revision as well.)
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *sender(void *arg)
{
    data = 42; //~[none,release_only,compiler_only] RACE@data write
#if defined both || defined release_only
    atomic_thread_fence(memory_order_release);
#elif defined compiler_only
    atomic_signal_fence(memory_order_release);
#endif
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t;
    int got = 0;
    pthread_create(&t, NULL, sender, NULL);
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
#if defined both
        atomic_thread_fence(memory_order_acquire);
#elif defined compiler_only
        atomic_signal_fence(memory_order_acquire);
#endif
        got = data; //~[none,release_only,compiler_only] RACE@data read
    }
    pthread_join(t, NULL);
    return got;
}
//~[both] SAFE executions=2
