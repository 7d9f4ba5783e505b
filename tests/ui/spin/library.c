//@ run: races --op wait_for --op set
//@ revisions: plain locked
// An operation that waits for another one's change is no violation of its precondition.
#include <pthread.h>

struct latch {
    pthread_mutex_t lock;
    int open;
};

static int is_open(struct latch *l)
{
#ifdef locked
    pthread_mutex_lock(&l->lock);
    int open = l->open;
    pthread_mutex_unlock(&l->lock);
    return open;
#else
    return l->open; //~[plain] RACE@open read
#endif
}

void wait_for(struct latch *l)
{
    while (!is_open(l))
        ;
}

void set(struct latch *l)
{
    pthread_mutex_lock(&l->lock);
    l->open = 1; //~[plain] RACE@open write
    pthread_mutex_unlock(&l->lock);
}
//~[locked] SAFE
