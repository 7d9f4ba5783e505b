//@ run: races
//@ revisions: first refuses forced
// What initialises only where nobody has before, or only if it is told to, is no constructor; what refuses its arguments is one.
#include <pthread.h>
#include <stddef.h>

struct queue {
    pthread_mutex_t lock;
    int used;
};

#if defined(first)
static struct queue only;
static int is_there;

struct queue *queue_get(void)
{
    if (!is_there) {                          //~[first] RACE read
        pthread_mutex_init(&only.lock, NULL); //~[first] RACE write
        is_there = 1;                         //~[first] RACE write
    }
    return &only;
}
#elif defined(refuses)
int queue_init(struct queue *q, int places)
{
    if (places < 1)
        return -1;
    q->used = 0;
    return pthread_mutex_init(&q->lock, NULL);
}
#elif defined(forced)
void queue_recover(struct queue *q, int force)
{
    if (force) {
        q->used = 0;                          //~[forced] RACE write
        pthread_mutex_init(&q->lock, NULL); //~[forced] RACE write
    }
}
#endif

void queue_add(struct queue *q)
{
    pthread_mutex_lock(&q->lock);   //~[first,forced] RACE
    q->used++;                      //~[forced] RACE
    pthread_mutex_unlock(&q->lock); //~[first,forced] RACE
                                    //~^[forced] LOCK_MISUSE
}
//~[refuses] SAFE
//~[refuses] PAIR queue_init queue_add exclusive
