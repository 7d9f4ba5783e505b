//@ run: races --client-calls 0
//@ revisions: bare other_order
// The object that a pointer leads to may be a part of a larger one, also where the pointer to that is followed later.
#include <pthread.h>

struct counter {
    int value;
};
struct device {
    pthread_mutex_t lock;
    struct counter in, out;
};

#ifdef other_order
int a_total(struct device *d)
{
    return d->out.value; //~[other_order] RACE@total read
}
#endif

void count(struct counter *c)
{
    c->value++; //~[bare,other_order] RACE read/write
                //~^[bare,other_order] RACE write/write
                //~^^[bare,other_order] RACE@total write
}

#ifndef other_order
int total(struct device *d)
{
    return d->out.value; //~[bare] RACE@total read
}
#endif
