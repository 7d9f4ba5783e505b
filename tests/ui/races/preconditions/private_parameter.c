//@ run: races --op get --op take
//@ revisions: shared private each
//@[private] flags: --private *.out
//@[each] flags: --private get.out
// By default the pointers that two callers pass denote one object, so a result that is handed out through one races with
// itself. The caller may know better: each call has its own. Where only one operation's is private, the other's is not.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct node {
    long key, value;
    struct node *next;
};
struct list {
    pthread_mutex_t lock;
    struct node *head;
};

bool get(struct list *l, long key, int *out)
{
    bool found = false;
    pthread_mutex_lock(&l->lock);
    struct node *n = l->head;
    if (n && n->key == key) {
        found = true;
        if (out)
            *out = (int)n->value; //~[shared] RACE@within write
    }
    pthread_mutex_unlock(&l->lock);
    if (found && out)
        *out += 1; //~[shared] RACE@within
    //~^[shared] RACE read/write
    //~^^[shared] RACE write/write
    return found;
}

void take(struct list *l, int *out)
{
    pthread_mutex_lock(&l->lock);
    struct node *n = l->head;
    if (n)
        l->head = n->next;
    pthread_mutex_unlock(&l->lock);
    *out = n != NULL; //~[shared,each] RACE write/write
    //~^[shared] RACE with 28
    //~^^[shared] RACE with 32
}
//~[private] SAFE executions=34 shapes=21
//~[each] PAIR get get safe
//~[each] PAIR get take safe
