//@ run: races
//@ revisions: ends checks counts helper global asserts always
// What ends an object that others take is not for callers to call beside them: all that it races with is one matter of callers. It is
// none of theirs where the function ends it only sometimes, where what races is a variable, or where the same lines race without it.
#include <assert.h>
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
#ifdef asserts
    assert(q->length >= 0); //~[asserts] ASSERTION
                            //~^[asserts] RACE
#endif
    q->length++; //~[ends,checks,counts,helper,global,always] RACE
    pthread_mutex_unlock(&q->lock); //~[ends,checks,counts,helper,global,always] RACE
    count(q);
#ifdef always
    // This fails beside any call.
    assert(q->pushed == 1); //~[always] ASSERTION
                            //~^[always] RACE
#endif
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
    // Whether this one ends it depends on what others have done: no role, but a push behind it fails where it did.
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
#ifdef asserts
    // No call beside another push comes to that.
    pthread_mutex_lock(&q->lock);
    q->length = -1;
    pthread_mutex_unlock(&q->lock);
#endif
#ifdef global
    destroyed = 1; //~[global] RACE
#endif
    pthread_mutex_destroy(&q->lock); //~ RACE
                                     //~^ LOCK_MISUSE
    free(q); //~ RACE
    return 0;
}
//~[ends,checks,helper,global,asserts,always] CONTRACT `queue_destroy` ends a `struct queue` while `queue_push` uses it
//~[counts] CONTRACT `queue_push` runs beside `queue_destroy`, after which it always fails
//~ CAUSE one thread writes `struct queue.pushed` while another reads or writes it
//~[global] CAUSE one thread writes `destroyed` while another reads or writes it
//~[always] CAUSE Assertion failure in `queue_push` at lifecycle.c:44
//~[always] CAUSE Lock misuse in `queue_destroy` at lifecycle.c:85
