//@ run: races --heaps reached
//@ revisions: five four
//@[four] flags: --client-calls 4
// The ring is full only after three calls, and only then a writer touches what a reader reads: a constructor, two puts, and both at
// once.
#include <pthread.h>
#include <stdlib.h>

struct ring {
    pthread_mutex_t lock;
    int used;
    int items[2];
};

struct ring *ring_new(void)
{
    struct ring *r = calloc(1, sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void put(struct ring *r, int item)
{
    pthread_mutex_lock(&r->lock);
    int used = r->used;
    if (used < 2)
        r->items[r->used++] = item;
    pthread_mutex_unlock(&r->lock);
    if (used == 2)
        r->items[0] = item; //~[five] RACE write/write
}
//~[four] SAFE
