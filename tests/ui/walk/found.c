//@ run: check
//@ revisions: race lost locked pct_lost pct_locked pos_lost pos_locked surw_lost surw_locked
//@[race,lost,locked] flags: --search walk
//@[pct_lost,pct_locked] flags: --search pct --bug-depth 2
//@[pos_lost,pos_locked] flags: --search pos
//@[surw_lost,surw_locked] flags: --search surw
// Executions at random find what is not rare, replay it, and never say that there is nothing.
#include <assert.h>
#include <pthread.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
#ifdef race
    counter++; //~[race] RACE
#else
    pthread_mutex_lock(&lock);
    int seen = counter;
#if defined lost || defined pct_lost || defined pos_lost || defined surw_lost
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    counter = seen + 1;
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, add, 0);
    pthread_create(&other, 0, add, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(counter == 2); //~[race,lost,pct_lost,pos_lost,surw_lost] ASSERTION
    return 0;
}
//~[race,lost,pct_lost,pos_lost,surw_lost] FINDINGS ledger=sampled
//~[locked,pct_locked,pos_locked,surw_locked] INCONCLUSIVE ledger=sampled executions=2
