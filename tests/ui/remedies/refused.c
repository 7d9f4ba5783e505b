//@ run: races
//@ revisions: own order order_fine apart apart_fine
// What seems to mend it and does not: the lock is held there already, it is taken in another order elsewhere, or it is that of another object.
#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
    pthread_mutex_t other;
    int count;
    int peers;
    struct queue *next;
};

#if defined own
// Whoever calls it holds the lock on one way, and it is not recursive.
static int count_of(struct queue *q)
{
    return q->count; //~[own] RACE
    //~[own]^ REFUSED hold `q->lock` at refused.c:18 (count_of)
}

int quick(struct queue *q)
{
    return count_of(q);
}

int put(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->count++; //~[own] RACE
    int count = count_of(q); 
    pthread_mutex_unlock(&q->lock);
    return count;
}
#elif defined order || defined order_fine
// The count is read under another lock, which is taken the other way round elsewhere.
void put(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->count++; //~[order order_fine] RACE
#ifdef order
    pthread_mutex_lock(&q->other);
    q->peers++;
    pthread_mutex_unlock(&q->other);
#endif
    pthread_mutex_unlock(&q->lock);
}

int both(struct queue *q)
{
    pthread_mutex_lock(&q->other);
    int both = q->count + q->peers; //~[order order_fine] RACE
    //~[order]^ REFUSED hold `q->lock` at refused.c:52 (both)
    //~[order_fine]^^ REMEDY hold `q->lock` at refused.c:52 (both); tried
    pthread_mutex_unlock(&q->other);
    return both;
}
#elif defined apart || defined apart_fine
// Under the lock of one queue the count of the next is changed.
void put(struct queue *q)
{
#ifdef apart
    struct queue *n = q->next;
    pthread_mutex_lock(&q->lock);
    n->count++; //~[apart] RACE
    pthread_mutex_unlock(&q->lock);
#else
    pthread_mutex_lock(&q->lock);
    q->count++; //~[apart_fine] RACE
    pthread_mutex_unlock(&q->lock);
#endif
}

int get(struct queue *q)
{
    return q->count; //~[apart apart_fine] RACE
    //~[apart_fine]^ REMEDY hold `q->lock` at refused.c:77 (get); tried
}
#endif
