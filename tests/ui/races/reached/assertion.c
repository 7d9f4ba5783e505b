//@ run: races --heaps reached
//@ revisions: faulty fixed
// A check and what follows from it in two critical sections: only another call between them breaks that.
#include <assert.h>
#include <pthread.h>

struct counter {
    pthread_mutex_t lock;
    int free_places;
};

void counter_init(struct counter *c)
{
    pthread_mutex_init(&c->lock, NULL);
    c->free_places = 1;
}

int acquire(struct counter *c)
{
    pthread_mutex_lock(&c->lock);
    int any = c->free_places > 0;
#ifdef faulty
    pthread_mutex_unlock(&c->lock);
    pthread_mutex_lock(&c->lock);
#endif
    if (any)
        c->free_places--;
    assert(c->free_places >= 0); //~[faulty] ASSERTION
    pthread_mutex_unlock(&c->lock);
    return any;
}
//~[fixed] SAFE
