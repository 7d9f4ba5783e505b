//@ run: races --search walk --samples 20
//@ revisions: open locked
// On each initial heap, and in each round, so many.
#include <pthread.h>

struct box {
    pthread_mutex_t lock;
    int value;
    struct box *next;
};

void set(struct box *b, int value)
{
#ifdef locked
    pthread_mutex_lock(&b->lock);
#endif
    b->value = value; //~[open] RACE
#ifdef locked
    pthread_mutex_unlock(&b->lock);
#endif
}
//~[open] FINDINGS ledger=sampled
//~[locked] INCONCLUSIVE ledger=sampled
