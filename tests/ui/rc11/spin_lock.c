//@ run: check
//@ revisions: usual relaxed seq_cst counted
// Rounds of who waits for a lock write what stands there already, and release nothing: they may be left out. With sequentially consistent
// rounds, beside weaker operations of another place, that is not known.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int n;
#ifdef counted
static atomic_int entered;
#endif

#if defined usual
#define TAKE memory_order_acquire
#define GIVE memory_order_release
#elif defined relaxed
#define TAKE memory_order_relaxed
#define GIVE memory_order_release
#else
#define TAKE memory_order_seq_cst
#define GIVE memory_order_release
#endif

static void *add(void *argument)
{
    while (atomic_exchange_explicit(&taken, 1, TAKE))
        ;
#ifdef counted
    atomic_fetch_add_explicit(&entered, 1, memory_order_relaxed);
#endif
    n++; //~[relaxed] RACE read/write //~[relaxed] RACE write/write
    atomic_store_explicit(&taken, 0, GIVE);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return n != 2;
}
//~[usual] SAFE
//~[seq_cst] SAFE
//~[counted] INCONCLUSIVE ledger=weak_memory
