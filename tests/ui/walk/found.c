//@ run: check --search walk
//@ revisions: race lost locked
// Random walks find what is not rare, replay it, and never say that there is nothing.
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
#ifdef lost
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
    assert(counter == 2); //~[race,lost] ASSERTION
    return 0;
}
//~[race,lost] FINDINGS ledger=sampled
//~[locked] INCONCLUSIVE ledger=sampled executions=2
