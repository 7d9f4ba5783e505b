//@ run: races --op claim --op drop --memory=sc --client-calls 0
//@ revisions: freed kept
// One operation exchanges atomically in an object that the other frees.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    atomic_int owner;
    _Atomic(struct node *) next;
};

struct box {
    pthread_mutex_t lock;
    struct node *node;
};

int claim(struct box *box)
{
    int expected = 0;
    struct node *none = NULL;
#ifdef kept
    pthread_mutex_lock(&box->lock);
#endif
    struct node *node = box->node;
    int claimed = node && atomic_compare_exchange_strong(&node->owner, &expected, 1) //~[freed] RACE@owner
               && atomic_compare_exchange_weak(&node->next, &none, node); //~[freed] RACE@next
#ifdef kept
    pthread_mutex_unlock(&box->lock);
#endif
    return claimed;
}

void drop(struct box *box)
{
#ifdef kept
    pthread_mutex_lock(&box->lock);
#endif
    free(box->node); //~[freed] RACE@owner,next free
#ifdef kept
    pthread_mutex_unlock(&box->lock);
#endif
}
//~[kept] SAFE executions=35
