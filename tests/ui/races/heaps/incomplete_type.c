//@ run: races --op same
//@ revisions: bare locked
// Pointers to an incomplete type: what they lead to cannot be made, so only null is explored, and the report says so.
#include <pthread.h>

struct hidden;
struct box {
    pthread_mutex_t lock;
    struct hidden *a, *b;
    int n;
};

void same(struct box *x)
{
#ifdef locked
    pthread_mutex_lock(&x->lock);
#endif
    if (x->a == x->b)
        x->n = 1; //~[bare] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&x->lock);
#endif
}
//~[locked] INCONCLUSIVE ledger=untyped_pointer
