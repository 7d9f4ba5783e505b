//@ run: races --heaps any
//@ revisions: racy locked
// An untyped pointer that is only compared with null: the witness has a number for it. It was null there, and no replay showed the race.
#include <pthread.h>
#include <stddef.h>

struct queue {
    pthread_mutex_t lock;
    int count;
};

void add(struct queue *q, void *value)
{
    if (value == NULL)
        return;
#ifdef locked
    pthread_mutex_lock(&q->lock);
#endif
    q->count++; //~[racy] RACE write/write //~[racy] RACE read/write
#ifdef locked
    pthread_mutex_unlock(&q->lock);
#endif
}
//~[locked] SAFE
