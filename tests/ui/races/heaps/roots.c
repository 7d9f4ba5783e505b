//@ run: races --op write_own --op write_next
//@ revisions: same any
//@[any] flags: --roots=any
// By default the parameters of both threads are one object. With --roots=any, one thread's may be the other's neighbour,
// whose lock the first does not hold.
#include <pthread.h>
#include <stddef.h>

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

void write_own(struct node *n)
{
    pthread_mutex_lock(&n->lock);
    n->value = 1; //~[any] RACE@neighbour write
    pthread_mutex_unlock(&n->lock);
}

void write_next(struct node *n)
{
    pthread_mutex_lock(&n->lock);
    if (n->next && n->next != n)
        n->next->value = 2; //~[any] RACE@neighbour write //~[any] RACE write/write
    pthread_mutex_unlock(&n->lock);
}
//~[same] SAFE
