//@ run: races
//@ revisions: bare locked
//@ also: auxiliary/queue.h
// An inline function of a header is an operation: who includes it calls it.
#include "auxiliary/queue.h"

void queue_add(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->length++; //~[bare] RACE write
    pthread_mutex_unlock(&q->lock);
}
//~[locked] SAFE
