// variants: orders=robust fences=robust weak_fences=weak released=weak
// Who wants to enter says so and looks at the others; who sees nobody enters.
#include "harness.h"

static atomic_int wants[2];
static int inside;

#if defined orders
#define STORE SEQ_CST
#define LOAD SEQ_CST
#define FENCE()
#elif defined released
#define STORE RELEASE
#define LOAD ACQUIRE
#define FENCE()
#elif defined weak_fences
#define STORE RELAXED
#define LOAD RELAXED
#define FENCE() atomic_thread_fence(ACQ_REL)
#else
#define STORE RELAXED
#define LOAD RELAXED
#define FENCE() atomic_thread_fence(SEQ_CST)
#endif

static void enter(int me)
{
    atomic_store_explicit(&wants[me], 1, STORE);
    FENCE();
    if (!atomic_load_explicit(&wants[1 - me], LOAD))
        inside++;
}

static void *first(void *argument)
{
    enter(0);
    return argument;
}

static void *second(void *argument)
{
    enter(1);
    return argument;
}

int main(void)
{
    RUN(first, second);
    return inside;
}
