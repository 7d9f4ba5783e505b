//@ run: check
//@ revisions: walk pct pos surw walk_early pct_early pos_early surw_early
//@[walk,walk_early] flags: --search walk
//@[pct,pct_early] flags: --search pct
//@[pos,pos_early] flags: --search pos
//@[surw,surw_early] flags: --search surw
// A thread that looks again and again for what another has to bring lets that one go on, whatever is drawn: no loop is cut.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready, data;

static void *brings(void *unused)
{
#if defined walk_early || defined pct_early || defined pos_early || defined surw_early
    ready = 1;
    data = 1;
#else
    data = 1;
    ready = 1;
#endif
    return unused;
}

static void *takes(void *unused)
{
    int one = 1;
    while (!atomic_compare_exchange_strong(&data, &one, 1))
        one = 1;
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, takes, 0);
    pthread_create(&other, 0, brings, 0);
    while (ready != 1)
        ;
    assert(data == 1); //~[walk_early,pct_early,pos_early,surw_early] ASSERTION
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
//~[walk_early,pct_early,pos_early,surw_early] FINDINGS ledger=sampled
//~[walk,pct,pos,surw] INCONCLUSIVE ledger=sampled
