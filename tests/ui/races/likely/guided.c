//@ run: races --op put --op get
//@ revisions: guided complete fixed
//@[guided,fixed] flags: --search guided
// The guided search alone: what it finds is confirmed like everything else, and what it does not find proves nothing.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int key;
    int value;
};

struct list {
    pthread_mutex_t lock;
    struct node *first;
};

// The race needs a second node: the first one's key is another.
int get(struct list *l, int key)
{
    pthread_mutex_lock(&l->lock);
    struct node *n = l->first;
    while (n != NULL && n->key != key)
        n = n->next;
#ifndef fixed
    pthread_mutex_unlock(&l->lock);
#endif
    int value = -1;
    if (n != NULL && n != l->first) //~[guided,complete] RACE@first read
        value = n->value; //~[guided,complete] RACE@value read
#ifdef fixed
    pthread_mutex_unlock(&l->lock);
#endif
    return value;
}

void put(struct list *l, int key, int value)
{
    pthread_mutex_lock(&l->lock);
    struct node *n = l->first;
    while (n != NULL && n->key != key)
        n = n->next;
    if (n != NULL) {
        n->value = value; //~[guided,complete] RACE@value write
    } else {
        n = malloc(sizeof *n);
        n->key = key;
        n->value = value;
        n->next = l->first;
        l->first = n; //~[guided,complete] RACE@first write
    }
    pthread_mutex_unlock(&l->lock);
}
//~[guided] FINDINGS ledger=guided_only
//~[complete] FINDINGS ledger=
//~[fixed] INCONCLUSIVE ledger=guided_only
