// A queue, as a header has it: part of what its users call is inline.
#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
    int length;
};

void queue_add(struct queue *q);

static inline int queue_length(struct queue *q)
{
#ifdef locked
    pthread_mutex_lock(&q->lock);
    int length = q->length;
    pthread_mutex_unlock(&q->lock);
    return length;
#else
    return q->length; //~[bare] RACE read
#endif
}
