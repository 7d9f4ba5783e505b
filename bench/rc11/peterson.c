// variants: orders=robust fences=robust released=weak
// Peterson's lock (1981) of two threads, around a counter.
#include "harness.h"

static atomic_int wants[2], turn;
static int count;

#if defined orders
#define STORE SEQ_CST
#define LOAD SEQ_CST
#define FENCE()
#elif defined released
#define STORE RELEASE
#define LOAD ACQUIRE
#define FENCE()
#else
#define STORE RELEASE
#define LOAD ACQUIRE
#define FENCE() atomic_thread_fence(SEQ_CST)
#endif

static void work(int me)
{
    atomic_store_explicit(&wants[me], 1, STORE);
    FENCE();
    atomic_store_explicit(&turn, 1 - me, STORE);
    FENCE();
    while (atomic_load_explicit(&wants[1 - me], LOAD) && atomic_load_explicit(&turn, LOAD) == 1 - me)
        ;
    count++;
    atomic_store_explicit(&wants[me], 0, RELEASE);
}

static void *first(void *argument)
{
    work(0);
    return argument;
}

static void *second(void *argument)
{
    work(1);
    return argument;
}

int main(void)
{
    RUN(first, second);
    return count;
}
