//@ run: races --op touch
//@ revisions: lock_of_other lock_of_own
// Two lists in one object own disjoint heaps: the first node of one is not in the other. Each has its lock.
#include <pthread.h>

struct node {
    int value;
    struct node *next;
};

struct list {
    pthread_mutex_t lock;
    struct node *first;
};

struct pair {
    struct list *left, *right;
};

void touch(struct pair *p, int which)
{
    struct list *l = which ? p->left : p->right;
#ifdef lock_of_other
    struct list *locked = which > 1 ? p->left : p->right;
#else
    struct list *locked = l;
#endif
    pthread_mutex_lock(&locked->lock);
    if (l->first)
        l->first->value = which; //~[lock_of_other] RACE write/write
    pthread_mutex_unlock(&locked->lock);
}
//~[lock_of_own] SAFE executions=20
