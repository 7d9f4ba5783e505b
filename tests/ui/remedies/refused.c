//@ run: races
//@ revisions: own order wide fine apart near alias alias_fine
//@[apart] flags: --roots any
// What seems to mend it and does not: whoever calls it holds the lock already, or another one that elsewhere is taken behind it, or the lock is
// that of another object. Where it does, that is told.
#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
#if defined order || defined wide || defined fine
    pthread_mutex_t peer_lock;
#endif
    int count;
    int peers;
    struct queue *next;
};

#if defined own
static int count_of(struct queue *q)
{
    return q->count; //~[own] RACE
    //~^[own] REFUSED hold `q->lock` at refused.c:21 (count_of); or to hold `q->lock` in all of `count_of`
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
#elif defined order || defined wide || defined fine
void put(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->count++; //~[order wide fine] RACE
#ifndef fine
    pthread_mutex_lock(&q->peer_lock);
    q->peers++;
    pthread_mutex_unlock(&q->peer_lock);
#endif
    pthread_mutex_unlock(&q->lock);
}

#ifdef order
// What holds the lock for all of this function still takes it second; but the other one can be taken first by the other side.
static int sum(struct queue *q)
{
    return q->count + q->peers; //~[order] RACE
    //~^[order] REMEDY hold `q->peer_lock` from refused.c:42 to :46 (put), in one section with what holds it there; tried
}

int both(struct queue *q)
{
    pthread_mutex_lock(&q->peer_lock);
    int both = sum(q);
    pthread_mutex_unlock(&q->peer_lock);
    return both;
}
#else
// What holds it for all of this one takes it first.
int both(struct queue *q)
{
    pthread_mutex_lock(&q->peer_lock);
    int both = q->count + q->peers; //~[wide fine] RACE
    //~^[wide] REMEDY hold `q->lock` in all of `both`; tried
    //~^^[fine] REMEDY hold `q->lock` at refused.c:71 (both); tried
    pthread_mutex_unlock(&q->peer_lock);
    return both;
}
#endif
#elif defined apart || defined near
// Under the lock of one queue the count of another is changed: nothing that the other side holds orders that.
void put(struct queue *q)
{
#ifdef apart
    struct queue *n = q->next;
    pthread_mutex_lock(&q->lock);
    n->count++; //~[apart] RACE
    pthread_mutex_unlock(&q->lock);
#else
    pthread_mutex_lock(&q->lock);
    q->count++; //~[near] RACE
    pthread_mutex_unlock(&q->lock);
#endif
}

int get(struct queue *q)
{
    return q->count; //~[apart near] RACE
    //~^[apart] REFUSED to hold `n->lock` at refused.c:85 (put), and the like in another place
    //~^^[near] REMEDY hold `q->lock` at refused.c:96 (get); tried
}
#elif defined alias || defined alias_fine
// Both may be one queue, whose lock is held by then.
void move(struct queue *from, struct queue *to)
{
    pthread_mutex_lock(&from->lock);
    from->count--; //~[alias alias_fine] RACE
#ifdef alias
    to->count++; //~[alias] RACE
    //~^[alias] REFUSED to hold `to->lock` at refused.c:107 (move)
    pthread_mutex_unlock(&from->lock);
#else
    pthread_mutex_unlock(&from->lock);
    to->count++; //~[alias_fine] RACE
    //~^[alias_fine] REMEDY hold `to->lock` at refused.c:112 (move); tried
#endif
}

int get(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    int count = q->count; //~[alias alias_fine] RACE
    pthread_mutex_unlock(&q->lock);
    return count;
}
#endif
