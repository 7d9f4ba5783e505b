//@ run: races --heaps reached --spurious 0
//@ revisions: faulty fixed
// Who waits for what nobody does waits alone as well: that is no deadlock. A signal that is lost is one.
#include <pthread.h>

struct cell {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int full;
};

void cell_init(struct cell *c)
{
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->filled, NULL);
    c->full = 0;
}

void fill(struct cell *c)
{
    pthread_mutex_lock(&c->lock);
    c->full = 1;
#ifdef fixed
    pthread_cond_signal(&c->filled);
#endif
    pthread_mutex_unlock(&c->lock);
}

void take(struct cell *c)
{
    pthread_mutex_lock(&c->lock);
    while (!c->full)
        pthread_cond_wait(&c->filled, &c->lock); //~[faulty] DEADLOCK
    c->full = 0;
    pthread_mutex_unlock(&c->lock);
}

int try_take(struct cell *c)
{
    pthread_mutex_lock(&c->lock);
    int full = c->full;
    c->full = 0;
    pthread_mutex_unlock(&c->lock);
    return full;
}
//~[fixed] SAFE
