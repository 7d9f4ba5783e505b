//@ run: races --op add --op get
//@ revisions: unlocked locked
// A list behind a spin lock of its own, and a reader that forgets it.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};
struct list {
    pthread_spinlock_t lock;
    struct node *head;
};

void add(struct list *l, int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value; //~[unlocked] RACE@value write
    pthread_spin_lock(&l->lock);
    n->next = l->head;
    l->head = n; //~[unlocked] RACE@get write //~[unlocked] RACE@again write
    pthread_spin_unlock(&l->lock);
}

int get(struct list *l)
{
#ifdef locked
    pthread_spin_lock(&l->lock);
#endif
    int value = l->head ? l->head->value : 0; //~[unlocked] RACE@get,again,value read
#ifdef locked
    pthread_spin_unlock(&l->lock);
#endif
    return value;
}
//~[locked] SAFE
