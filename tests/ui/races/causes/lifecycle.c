//@ run: races
//@ revisions: ends checks counts helper global
// What ends an object that others take is not for callers to call beside them: all that it races with is one matter of callers. It is
// none of theirs where the function ends it only sometimes, where what races is a variable, or where the same lines race without it.
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    int length;
    int pushed;
};

static int destroyed;

int queue_init(struct queue *q)
{
    if (pthread_mutex_init(&q->lock, NULL) != 0)
        return -1;
    q->length = 0;
    q->pushed = 0;
    return 0;
}

static void count(struct queue *q)
{
    q->pushed++; //~ RACE
}

void queue_push(struct queue *q)
{
    pthread_mutex_lock(&q->lock); //~ RACE
                                  //~^ LOCK_MISUSE
    q->length++; //~ RACE
    pthread_mutex_unlock(&q->lock); //~ RACE
    count(q);
#ifdef global
    if (destroyed) //~[global] RACE
        q->pushed = 0; //~[global] RACE
#endif
}

int queue_destroy(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
#ifdef checks
    // An error is no end.
    if (q->length < 0) {
        pthread_mutex_unlock(&q->lock);
        return -1;
    }
#endif
#ifdef counts
    // Nor is this one: whether it ends depends on what others have done.
    if (q->length > 0) {
        q->length--;
        pthread_mutex_unlock(&q->lock);
        return 0;
    }
#endif
    q->length = 0;
    pthread_mutex_unlock(&q->lock);
#ifdef helper
    count(q);
#endif
#ifdef global
    destroyed = 1; //~[global] RACE
#endif
    pthread_mutex_destroy(&q->lock); //~ RACE
                                     //~^ LOCK_MISUSE
    free(q); //~ RACE
    return 0;
}
//~[ends,checks,helper,global] CONTRACT `queue_destroy` ends a `struct queue` while `queue_push` uses it
//~[counts] CAUSE `queue_destroy` frees a `struct queue` while `count` and `queue_push` use it
//~[counts] CAUSE one thread writes `struct queue.lock` while another reads it
//~[counts] CAUSE Lock misuse in `queue_push` at lifecycle.c:32
//~ CAUSE Lock misuse in `queue_destroy` at lifecycle.c:69
//~ CAUSE one thread writes `struct queue.pushed` while another reads or writes it
//~[global] CAUSE one thread writes `destroyed` while another reads or writes it
