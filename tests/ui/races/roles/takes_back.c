//@ run: races
//@ revisions: locked bare looks
// A constructor that fails destroys the lock again that it has initialised: that makes it no destructor. Results of calls on locks are looked at.
#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
    int capacity, count;
};

int queue_init(struct queue *q, int capacity)
{
#ifdef looks
    int error = pthread_mutex_init(&q->lock, NULL);
    if (error)
        return error;
#else
    pthread_mutex_init(&q->lock, NULL);
#endif
    if (capacity <= 0) {
        pthread_mutex_destroy(&q->lock);
        return -1;
    }
    q->capacity = capacity;
    q->count = 0;
    return 0;
}

int queue_take(struct queue *q)
{
#ifndef bare
    pthread_mutex_lock(&q->lock);
#endif
    int taken = q->count < q->capacity; //~[bare] RACE@look read
    if (taken)
        q->count++; //~[bare] RACE write/write //~[bare] RACE read/write //~[bare] RACE@look write
#ifndef bare
    pthread_mutex_unlock(&q->lock);
#endif
    return taken;
}
//~[locked,looks] SAFE
