//@ run: races --op bump_first --op bump_second
//@ revisions: any apart together
//@[apart] flags: --valid apart_ok
//@[together] flags: --valid together_ok
// Two cells, each with a lock in their holder. If both fields name one cell, the locks do not help. A predicate says which
// shapes there are; a finding on one of them is valid, not only assumed.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct cell {
    int value;
    struct cell *next;
};

struct holder {
    pthread_mutex_t first_lock, second_lock;
    struct cell *first, *second;
};

bool apart_ok(const struct holder *h)
{
    return h && h->first && h->second && h->first != h->second;
}

bool together_ok(const struct holder *h)
{
    return h && h->first && h->first == h->second;
}

void bump_first(struct holder *h)
{
    pthread_mutex_lock(&h->first_lock);
    h->first->value = 1; //~[any,together] RACE@cell write
    pthread_mutex_unlock(&h->first_lock);
}

void bump_second(struct holder *h)
{
    pthread_mutex_lock(&h->second_lock);
    h->second->value = 2; //~[any,together] RACE@cell write
    pthread_mutex_unlock(&h->second_lock);
}
//~[any] FINDINGS shape=assumed
//~[together] FINDINGS shape=valid
//~[apart] SAFE
