//@ run: races --client-calls 0
//@ revisions: kept kept_valid twice twice_valid aliased_valid taken_valid right right_valid
//@[kept,right] flags: --op get --op put
//@[kept_valid,right_valid] flags: --op get --op put --valid ok
//@[twice] flags: --op refill --op put
//@[twice_valid] flags: --op refill --op put --valid ok
//@[aliased_valid] flags: --op move --op put --valid ok
//@[taken_valid] flags: --op take --op put --valid ok
// A call that keeps its lock on one of its ways, or takes it twice, leaves the next one, or itself, waiting for ever, whatever runs beside
// it. On a valid heap that is a deadlock; where only races are looked for, nothing is safe by it. Which objects are one is the caller's
// affair, and so is a lock that a call takes for its caller.
#include <pthread.h>
#include <stdbool.h>

struct queue {
    pthread_mutex_t lock;
    int count;
};

bool ok(const struct queue *q)
{
    return q->count >= 0;
}

int get(struct queue *q)
{
    pthread_mutex_lock(&q->lock); //~[kept_valid] DEADLOCK
    if (q->count == 0) {
#if defined right || defined right_valid
        pthread_mutex_unlock(&q->lock);
#endif
        return -1;
    }
    q->count--;
    pthread_mutex_unlock(&q->lock);
    return 0;
}

void put(struct queue *q)
{
    pthread_mutex_lock(&q->lock); //~[kept_valid] DEADLOCK
    q->count++;
    pthread_mutex_unlock(&q->lock);
}

static int number(struct queue *q)
{
    pthread_mutex_lock(&q->lock); //~[twice_valid] DEADLOCK
    int count = q->count;
    pthread_mutex_unlock(&q->lock);
    return count;
}

void refill(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    if (q->count == 7)
        q->count = number(q) + 1;
    pthread_mutex_unlock(&q->lock);
}

void move(struct queue *from, struct queue *to)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    to->count += from->count;
    from->count = 0;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

void take(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
}
//~[kept,twice] INCONCLUSIVE ledger=lock_misuse
//~[aliased_valid,right,right_valid] SAFE
//~[aliased_valid] DROPPED move
//~[taken_valid] INCONCLUSIVE ledger=vacuous
