//@ run: races --op insert --op update
//@ revisions: shared private locked
//@[shared] flags: --any-member
//@[private] flags: --private insert.fresh --private insert.found
//@[locked] flags: --private *.fresh --private insert.found
// A caller's own node is the caller's own until an operation hangs it into the list: from then on the other thread gets
// at it, through the list. What is private is where the heap begins, not who may ever see it.
#include <pthread.h>
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};
struct list {
    pthread_mutex_t lock;
    struct node *head;
};

void insert(struct list *l, struct node *fresh, int *found)
{
    if (!fresh || !found)
        return;
    pthread_mutex_lock(&l->lock);
    fresh->next = NULL;
    *found = l->head != NULL; //~[shared] RACE@kept write
    l->head = fresh;
#ifdef locked
    fresh->value = 1;
    pthread_mutex_unlock(&l->lock);
#else
    pthread_mutex_unlock(&l->lock);
    fresh->value = 1; //~[shared] RACE write/write
    //~^[shared] RACE@kept write
    //~^^[shared,private] RACE@published write
#endif
}

void update(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    if (l->head)
        l->head->value = 2; //~[shared,private] RACE@published write
    pthread_mutex_unlock(&l->lock);
}
//~[private] PAIR insert insert safe
//~[private] PAIR update update safe
//~[locked] SAFE executions=27 shapes=22
