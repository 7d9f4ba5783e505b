//@ run: races
//@ flags: --op consume --op count
// An operation that polls for what no other brings: that is no reason to drop the heap.
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
};
struct queue {
    _Atomic(struct node *) head;
    int count, tries;
};

void consume(struct queue *q)
{
    q->tries = 1; //~ RACE@tries write
    //~^ RACE
    while (atomic_load(&q->head) == NULL)
        ;
}

void count(struct queue *q)
{
    if (atomic_load(&q->head) == NULL)
        q->tries = 0; //~ RACE@tries write
    //~^ RACE
    q->count = 2; //~ RACE
}
