//@ run: races --op swap --op get --valid empty
//@ revisions: once twice kept
//@[twice,kept] flags: --calls 2
//@[kept] clang: -DKEPT
// What a slot holds is freed when something else takes its place. In an empty slot something has to be put first, so the
// reader and the one who frees are two more calls: none of two threads that make one call each. With a second call, the
// race shows where a thread that has put something, or the one beside it, goes on to read what the other frees; a heap on
// which the slot is not empty, where one call would do, the predicate leaves out. Of the 6 sequences of up to 2 calls
// there are 6 * 7 / 2 = 21 combinations.
//
// Executions of one call each: `swap` and `swap`, `swap` and `get` are two sections of which one writes what the other
// accesses: 2 orders each. `get` and `get` only read: 1. In all 5.
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct item {
    int value;
};
struct slot {
    pthread_mutex_t lock;
    struct item *item;
};

bool empty(const struct slot *s)
{
    return !s->item;
}

void swap(struct slot *s, int value)
{
    struct item *new = malloc(sizeof *new);
    new->value = value;
    pthread_mutex_lock(&s->lock);
    struct item *old = s->item;
    s->item = new;
    pthread_mutex_unlock(&s->lock);
#ifndef KEPT
    free(old); //~[twice] RACE@gone free
#else
    (void)old;
#endif
}

int get(struct slot *s)
{
    pthread_mutex_lock(&s->lock);
    struct item *item = s->item;
    pthread_mutex_unlock(&s->lock);
    return item ? item->value : 0; //~[twice] RACE@gone read
}
//~[once] SAFE executions=5 entries=3
//~[twice] FINDINGS entries=21 shape=valid ledger=
//~[twice] PAIR swap swap safe
//~[twice] PAIR swap get safe
//~[twice] TOGETHER get; get, get; get: safe
//~[twice] TOGETHER get, get; swap: safe
//~[twice] TOGETHER swap, swap; get: findings
//~[twice] TOGETHER get, swap; swap: findings
//~[kept] SAFE entries=21
