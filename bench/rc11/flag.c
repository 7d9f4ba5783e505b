// variants: usual=robust relaxed=race fences=robust
// One thread makes a message ready and says so; two look, one of them until it is there.
#include "harness.h"

static atomic_int ready;
static int message;

static void *writer(void *argument)
{
    message = 42;
#if defined fences
    atomic_thread_fence(RELEASE);
    atomic_store_explicit(&ready, 1, RELAXED);
#elif defined relaxed
    atomic_store_explicit(&ready, 1, RELAXED);
#else
    atomic_store_explicit(&ready, 1, RELEASE);
#endif
    return argument;
}

static int is_ready(void)
{
#if defined fences
    int seen = atomic_load_explicit(&ready, RELAXED);
    atomic_thread_fence(ACQUIRE);
    return seen;
#elif defined relaxed
    return atomic_load_explicit(&ready, RELAXED);
#else
    return atomic_load_explicit(&ready, ACQUIRE);
#endif
}

static void *reader(void *argument)
{
    return is_ready() && message != 42 ? NULL : argument;
}

static void *waiter(void *argument)
{
    while (!is_ready())
        ;
    return message != 42 ? NULL : argument;
}

int main(void)
{
    RUN(writer, reader, waiter);
    return 0;
}
