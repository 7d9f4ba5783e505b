//@ run: races --op step --valid fresh
//@ revisions: once twice
//@[twice] flags: --calls 2
// Each call of a thread is given numbers of its own: one that opens the box with 1 counts with 2 the next time, beside
// another thread that counts. Of two threads that make one call each, only one can count, when the other has opened.
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

void step(struct box *b, int k)
{
    pthread_mutex_lock(&b->lock);
    if (k == 1)
        b->open = true;
    bool counts = b->open && k == 2;
    pthread_mutex_unlock(&b->lock);
    if (counts)
        b->data++; //~[twice] RACE read/write
    //~^[twice] RACE write/write
}
//~[once] SAFE entries=1
//~[twice] FINDINGS entries=3 shape=valid ledger=
//~[twice] TOGETHER step, step: safe
//~[twice] TOGETHER step, step; step: findings
