//@ run: races
//@ revisions: own order wide fine apart near alias alias_fine stuck unstuck
//@[apart] flags: --roots any
//@[stuck unstuck] flags: --op use --op use_twice
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
    //~^[own] REMEDY hold `q->lock` at refused.c:28 (quick); tried
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
    //~^[order] REMEDY hold `q->peer_lock` from refused.c:43 to :47 (put), in one section with what holds it there; tried
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
    //~^[wide] REMEDY hold `q->peer_lock` from refused.c:43 to :47 (put), in one section with what holds it there; tried
    //~^^[fine] REMEDY hold `q->lock` at refused.c:72 (both); tried
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
    //~^[apart] REMEDY give `q->lock` back before refused.c:86 (put) rather than refused.c:87 (put); hold `n->lock` at refused.c:86 (put); hold
    //~^^[near] REMEDY hold `q->lock` at refused.c:97 (get); tried
}
#elif defined alias || defined alias_fine
// Both may be one queue, whose lock is held by then; with a section for each, `get` would see it in between.
void move(struct queue *from, struct queue *to)
{
    pthread_mutex_lock(&from->lock);
    from->count--; //~[alias alias_fine] RACE
#ifdef alias
    to->count++; //~[alias] RACE
    //~^[alias] REMEDY make the accesses at refused.c:106 to :108 (move) and refused.c:121 (get) atomic, relaxed; tried
    pthread_mutex_unlock(&from->lock);
#else
    pthread_mutex_unlock(&from->lock);
    to->count++; //~[alias_fine] RACE
    //~^[alias_fine] REMEDY what stays possible: move and get at once can come to what no order of them comes to: get returns -1 rather than 0
#endif
}

int get(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    int count = q->count; //~[alias alias_fine] RACE
    pthread_mutex_unlock(&q->lock);
    return count;
}
#elif defined stuck || defined unstuck
// Who calls it may hold the lock already, or not, and nothing is passed that could have another one.
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static int used;

void use(void)
{
    used++; //~[stuck unstuck] RACE
    //~^[stuck] REMEDY make the accesses at
    //~^^[unstuck] REMEDY hold `table` at refused.c:132 (use); tried
}

void use_twice(void)
{
    pthread_mutex_lock(&table);
    used++; //~[stuck unstuck] RACE
#ifdef stuck
    use();
#endif
    pthread_mutex_unlock(&table);
}
#endif
