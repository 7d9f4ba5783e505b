// variants: set=robust test_and_set=robust ticket=robust relaxed=race
// Spin locks around a counter.
#include "harness.h"

static int count;
#if defined ticket
static atomic_uint next, serving;
static void lock(void)
{
    unsigned mine = atomic_fetch_add_explicit(&next, 1, RELAXED);
    while (atomic_load_explicit(&serving, ACQUIRE) != mine)
        ;
}
static void unlock(void)
{
    unsigned mine = atomic_load_explicit(&serving, RELAXED);
    atomic_store_explicit(&serving, mine + 1, RELEASE);
}
#else
static atomic_int taken;
static void lock(void)
{
#if defined test_and_set
    do {
        while (atomic_load_explicit(&taken, RELAXED))
            ;
    } while (atomic_exchange_explicit(&taken, 1, ACQUIRE));
#elif defined relaxed
    while (atomic_exchange_explicit(&taken, 1, RELAXED))
        ;
#else
    while (atomic_exchange_explicit(&taken, 1, ACQUIRE))
        ;
#endif
}
static void unlock(void)
{
    atomic_store_explicit(&taken, 0, RELEASE);
}
#endif

static void *worker(void *argument)
{
    for (int i = 0; i < 2; i++) {
        lock();
        count++;
        unlock();
    }
    return argument;
}

int main(void)
{
    RUN(worker, worker);
    return 0;
}
