//@ run: races --op next --valid fresh
//@ revisions: pair three twice locked_three locked_twice
//@[three,locked_three] flags: --threads 3
//@[twice,locked_twice] flags: --calls 2
//@[locked_three,locked_twice] clang: -DLOCKED
// The first call opens the box, and all that come later count outside of the lock: two that do race with each other. That
// takes three calls, so two threads that make one each are safe; it shows with a third thread, or with a second call.
//
// A call's section writes `open` if it is the first, and only reads it else. Executions, one for each order of what
// depends on each other:
// - pair: who is first, so 2.
// - three: who is first (3), then two threads read and write `data`. Their reads commute; which read comes before the
//   other's write, and which write is the last: all of one before the other (2), or both reads first (2). 3 * 4 = 12.
// - twice: `next` and `next` 2. `next` and `next; next`: the one that calls once is first and the other counts twice (1), or
//   is later and counts beside the other's second call (4). Both twice: who is first (2); that one counts once, the other
//   twice: its read has 3 places among the other's writes, its write then 5, 3 or 1 among all four. 2 * 9 = 18. In all 25.
// - locked: sections that depend on each other in pairs, so every order: 3! = 6; (2 over 1) + (3 over 1) + (4 over 2) = 11.
#include <pthread.h>
#include <stdbool.h>

struct box {
    pthread_mutex_t lock;
    bool open;
    int data;
};

bool fresh(const struct box *b)
{
    return !b->open;
}

void next(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    bool was_open = b->open;
    if (!was_open)
        b->open = true;
#ifdef LOCKED
    if (was_open)
        b->data++;
#endif
    pthread_mutex_unlock(&b->lock);
#ifndef LOCKED
    if (was_open)
        b->data++; //~[three,twice] RACE read/write
    //~^[three,twice] RACE write/write
#endif
}
//~[pair] SAFE executions=2 shapes=1 entries=1
//~[three] FINDINGS executions=12 shapes=1 entries=1 shape=valid ledger=
//~[three] TOGETHER next, next, next: findings
//~[twice] FINDINGS executions=25 shapes=1 entries=3 shape=valid ledger=
//~[twice] TOGETHER next, next: safe
//~[twice] TOGETHER next, next; next: findings
//~[twice] TOGETHER next; next, next; next: findings
//~[locked_three] SAFE executions=6 shapes=1 entries=1
//~[locked_twice] SAFE executions=11 shapes=1 entries=3
