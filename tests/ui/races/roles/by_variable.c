//@ run: races --heaps any
//@ revisions: plain cleared helper checked counted late locks
// What ends an object that a variable leads to, `q_free(&q)`, ends it for a caller who has it to himself, as `q_free(q)` does. Not where
// the variable leads to another object behind it, where it is set before, or where it is locked: callers may share it.
#include <pthread.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    int length;
};

#ifdef counted
static int ended;
#endif
#ifdef locks
static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
#endif

struct queue *queue_new(void)
{
    struct queue *q = calloc(1, sizeof *q);
    if (q)
        pthread_mutex_init(&q->lock, NULL);
    return q;
}

#ifdef helper
static void end(struct queue **q)
{
    free(*q);
    *q = NULL;
}
#endif

void queue_free(struct queue **q)
{
#ifdef plain
    free(*q);
#endif
#ifdef cleared
    struct queue *it = *q;
    if (!it)
        return;
    pthread_mutex_destroy(&it->lock);
    *q = NULL;
    free(it);
#endif
#ifdef helper
    if (q && *q)
        end(q);
#endif
#ifdef checked
    if (!q || !*q)
        return;
    pthread_mutex_destroy(&(*q)->lock);
    free(*q);
    *q = NULL;
#endif
#ifdef counted
    ended++; //~[counted] RACE read/write
             //~^[counted] RACE write/write
    free(*q);
    *q = NULL;
#endif
#ifdef late
    *q = NULL; //~[late] RACE
               //~^[late] RACE write/write
    free(*q); //~[late] RACE
#endif
#ifdef locks
    pthread_mutex_lock(&all);
    free(*q); //~[locks] RACE
    *q = NULL;
    pthread_mutex_unlock(&all);
#endif
}

int queue_push(struct queue *q)
{
    pthread_mutex_lock(&q->lock); //~[locks] RACE
    int length = ++q->length; //~[locks] RACE
    pthread_mutex_unlock(&q->lock); //~[locks] RACE
    return length;
}

//~[plain,cleared,helper,checked] SAFE
//~[plain,cleared,helper,checked] PAIR queue_free queue_free exclusive
//~[plain,cleared,helper,checked,counted] PAIR queue_free queue_push exclusive
//~[counted] PAIR queue_free queue_free findings
//~[late] PAIR queue_free queue_push safe
