//@ run: check
//@ revisions: loads fences exchanges counts
// Each of two threads says that it is there and waits for the other: what one sees too late it looks for again, with nothing done meanwhile.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int here[2];
static int given[2];

static int is_there(int who)
{
#ifdef exchanges
    // This writes what it has read: who looks too late delays the other as well.
    return atomic_fetch_add_explicit(&here[who], 0, memory_order_acquire);
#elif defined fences
    int seen = atomic_load_explicit(&here[who], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return seen;
#else
    return atomic_load_explicit(&here[who], memory_order_acquire);
#endif
}

static int meet(int me)
{
#ifdef counts
    int rounds = 0;
#endif
    given[me] = me + 1;
    atomic_store_explicit(&here[me], 1, memory_order_release);
#ifdef counts
    while (!is_there(1 - me) && rounds < 3)
        rounds++;
    // Both may come here without having seen the other.
    return rounds < 3 ? given[1 - me] : me ? 1 : 2;
#else
    while (!is_there(1 - me))
        ;
    return given[1 - me];
#endif
}

static void *other(void *argument)
{
    return meet(1) == 1 ? argument : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    int got = meet(0);
    pthread_join(thread, NULL);
    return got != 2;
}
//~[loads] SAFE
//~[fences] SAFE
//~[counts] INCONCLUSIVE ledger=weak_memory
//~[exchanges] INCONCLUSIVE ledger=weak_memory
