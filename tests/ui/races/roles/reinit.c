//@ run: races
//@ revisions: apart shared
// What sets up objects that another function makes without it may be called on one that is in use. What that is made of is a
// constructor.
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    int used;
};

int queue_init(struct queue *q)
{
    q->used = 0;                              //~[apart] RACE write
    return pthread_mutex_init(&q->lock, NULL); //~[apart] RACE write
}

struct queue *queue_new(void)
{
    struct queue *q = malloc(sizeof *q);
    if (q) {
#if defined(apart)
        q->used = 0;
        pthread_mutex_init(&q->lock, NULL);
#else
        queue_init(q);
#endif
    }
    return q;
}

void queue_add(struct queue *q)
{
    pthread_mutex_lock(&q->lock);   //~[apart] RACE
    q->used++;                      //~[apart] RACE
    pthread_mutex_unlock(&q->lock); //~[apart] RACE
}
//~[shared] SAFE
//~[shared] PAIR queue_init queue_add exclusive
