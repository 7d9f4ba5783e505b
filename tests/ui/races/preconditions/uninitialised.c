//@ run: races --op update --memory sc
//@ revisions: retry retry_set alone alone_set
// Where a thread's way depends on a value that was never set, nobody knows which way it goes, so what races then may be
// missed: that is said. Natively the second try of `retry` writes beside the one that has the lock.
#include <stddef.h>

struct s {
    int lock;
    int busy;
    int value;
};

#if defined(retry) || defined(retry_set)
void update(struct s *s)
{
#ifdef retry
    size_t tries;
#else
    size_t tries = 0;
#endif
    while (__sync_val_compare_and_swap(&s->lock, 0, 1) != 0) {
        if (tries > 1) //~[retry] UNINITIALIZED_READ
            s->busy = 1; //~[retry_set] RACE@b write
        //~^[retry_set] RACE write/write
        tries++;
        if (tries > 3)
            return;
    }
    s->busy = 2; //~[retry_set] RACE@b write
    __sync_lock_release(&s->lock);
}
#else
void update(struct s *s)
{
#ifdef alone
    int way;
#else
    int way = 1;
#endif
    if (s->busy) {
        if (way)
            s->value++; //~[alone_set] RACE read/write
        //~^[alone_set] RACE write/write
        else
            s->value--;
    }
}
#endif
//~[retry] FINDINGS ledger=uninitialized_read
//~[alone] INCONCLUSIVE ledger=uninitialized_read
