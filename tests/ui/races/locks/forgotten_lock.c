//@ run: races
//@ revisions: forgotten conditional always
// An unlock without a lock is nothing that a heap could be blamed for: what happens there is not explored, so nothing
// is safe. A client shows it.
#include <pthread.h>

struct counter {
    pthread_mutex_t lock;
    int n;
};

void add(struct counter *c, int k)
{
#if defined(always)
    pthread_mutex_lock(&c->lock);
#else
    if (k > 0)
        pthread_mutex_lock(&c->lock);
#endif
    c->n += k; //~[forgotten,conditional] RACE read/write //~[forgotten,conditional] RACE write/write
#if defined(conditional)
    if (k > 0)
#endif
        pthread_mutex_unlock(&c->lock); //~[forgotten] LOCK_MISUSE
}
//~[forgotten] FINDINGS ledger=lock_misuse
//~[always] SAFE executions=2
