// variants: orders=robust fences=robust one_fence=weak released=weak
// Each of two threads writes, and then reads what the other writes.
#include "harness.h"

static atomic_int x, y;
static int seen[2];

#if defined orders
#define STORE SEQ_CST
#define LOAD SEQ_CST
#else
#define STORE RELEASE
#define LOAD ACQUIRE
#endif

static void *first(void *argument)
{
    atomic_store_explicit(&x, 1, STORE);
#if defined fences || defined one_fence
    atomic_thread_fence(SEQ_CST);
#endif
    seen[0] = atomic_load_explicit(&y, LOAD);
    return argument;
}

static void *second(void *argument)
{
    atomic_store_explicit(&y, 1, STORE);
#if defined fences
    atomic_thread_fence(SEQ_CST);
#endif
    seen[1] = atomic_load_explicit(&x, LOAD);
    return argument;
}

int main(void)
{
    RUN(first, second);
    return seen[0] + seen[1];
}
