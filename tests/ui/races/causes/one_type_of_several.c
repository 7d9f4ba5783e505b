//@ run: races --heaps any
// A library that synchronises its queue, and has a stopwatch beside it for each thread's own use: what races there has one cause, not one for each field.
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    int length;
    int most;
};

struct watch {
    long began;
    long ended;
    int laps;
};

void queue_put(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->length++; //~ RACE@length write
    pthread_mutex_unlock(&q->lock);
}

int queue_length(struct queue *q)
{
    return q->length; //~ RACE@length read
}

void queue_limit(struct queue *q, int most)
{
    q->most = most; //~ RACE write
}

void watch_start(struct watch *w, long now)
{
    w->began = now; //~ RACE write
    w->laps = 0; //~ RACE write
}

void watch_stop(struct watch *w, long now)
{
    w->ended = now; //~ RACE write
}
//~ CAUSE one thread writes `struct queue.length` while another reads it
//~ CAUSE one thread writes `struct queue.most` while another writes it
//~ CAUSE `watch_start` and `watch_stop` use a `struct watch` at once
