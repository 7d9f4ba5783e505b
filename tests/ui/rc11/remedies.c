//@ run: check
//@ revisions: buffering passing between known fenced three
// What weak orders allow is not left at that: the weakest orders that forbid it, and fences where these cost as much, are tried.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;
static int seen[2];

#define RELAXED memory_order_relaxed
#define store(place, order) atomic_store_explicit(&place, 1, order)
#define load(place, order) atomic_load_explicit(&place, order)

#if defined buffering
static void *one(void *argument)
{
    store(x, memory_order_release);
    seen[0] = load(y, memory_order_acquire); //~[buffering] REMEDY with memory_order_seq_cst for the store in line 17, the load in line 18, the store in line 23 and the load in line 24; or with atomic_thread_fence(memory_order_seq_cst) before the load in line 18 and the load in line 24, nothing does (tried)
    return argument;
}
static void two(void)
{
    store(y, memory_order_release);
    seen[1] = load(x, memory_order_acquire); //~[buffering] REMEDY for the store in line 17, the load in line 18
}
#elif defined passing
static void *one(void *argument)
{
    store(x, RELAXED);
    store(y, RELAXED);
    return argument;
}
static void two(void)
{
    if (load(y, RELAXED))
        seen[1] = load(x, RELAXED); //~[passing] REMEDY with memory_order_acquire for the load in line 35 and memory_order_release for the store in line 30, nothing does (tried)
}
#elif defined between
// One side has what it takes.
static void *one(void *argument)
{
    store(x, RELAXED);
    store(y, memory_order_release);
    return argument;
}
static void two(void)
{
    if (load(y, RELAXED))
        seen[1] = load(x, RELAXED); //~[between] REMEDY with memory_order_acquire for the load in line 48, nothing does (tried)
}
#elif defined known
// A fence that is there is made stronger, before others are.
static void *one(void *argument)
{
    store(x, RELAXED);
    atomic_thread_fence(memory_order_acq_rel);
    seen[0] = load(y, RELAXED); //~[known] REMEDY with memory_order_seq_cst for the fence in line 56 and the fence in line 63, nothing does (tried)
    return argument;
}
static void two(void)
{
    store(y, RELAXED);
    atomic_thread_fence(memory_order_acq_rel);
    seen[1] = load(x, RELAXED); //~[known] REMEDY the fence in line 56 and the fence in line 63
}
#elif defined fenced
// With what was said of the first of these.
static void *one(void *argument)
{
    store(x, RELAXED);
    atomic_thread_fence(memory_order_seq_cst);
    seen[0] = load(y, RELAXED);
    return argument;
}
static void two(void)
{
    store(y, RELAXED);
    atomic_thread_fence(memory_order_seq_cst);
    seen[1] = load(x, RELAXED);
}
#else
// Two circles that have nothing to do with each other.
static void *one(void *argument)
{
    store(x, RELAXED);
    store(y, RELAXED);
    store(z, RELAXED);
    return argument;
}
static void two(void)
{
    if (load(z, RELAXED))
        seen[0] = load(x, RELAXED); //~[three] REMEDY with memory_order_acquire for the load in line 92 and the load in line 94 and memory_order_release for the store in line 86 and the store in line 87, nothing does (tried)
    else if (load(y, RELAXED))
        seen[1] = load(x, RELAXED); //~[three] REMEDY nothing does (tried)
}
#endif

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, one, NULL);
    two();
    pthread_join(thread, NULL);
    return 0;
}
//~[buffering] INCONCLUSIVE ledger=weak_memory
//~[passing] INCONCLUSIVE ledger=weak_memory
//~[between] INCONCLUSIVE ledger=weak_memory
//~[known] INCONCLUSIVE ledger=weak_memory
//~[fenced] SAFE
//~[three] INCONCLUSIVE ledger=weak_memory
