//@ run: races --client-calls 0 --valid ok
//@ revisions: lost kept bare
//@ flags: --op await_it --op open_it
// A wait may end by itself, or never. That it never does is seen whatever the other thread does meanwhile, even where nothing of that has to
// do with the waiting; and a wait that only ends by itself is one for somebody else's signal.
#include <pthread.h>
#include <stdbool.h>

struct gate {
    pthread_mutex_t lock, other;
    pthread_cond_t opened;
    int count, open;
};

bool ok(const struct gate *g)
{
    return g->open == 0;
}

void await_it(struct gate *g)
{
#ifdef lost
    pthread_mutex_lock(&g->lock);
    int open = g->open;
    pthread_mutex_unlock(&g->lock);
    pthread_mutex_lock(&g->lock);
    if (!open)
        pthread_cond_wait(&g->opened, &g->lock); //~[lost] DEADLOCK
#elif defined kept
    pthread_mutex_lock(&g->lock);
    if (!g->open)
        pthread_cond_wait(&g->opened, &g->lock);
#else
    pthread_mutex_lock(&g->lock);
    pthread_cond_wait(&g->opened, &g->lock);
#endif
    pthread_mutex_unlock(&g->lock);
}

void open_it(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
#ifndef bare
    g->open = 1;
    pthread_cond_signal(&g->opened);
#endif
    pthread_mutex_unlock(&g->lock);
    pthread_mutex_lock(&g->other);
    g->count++;
    pthread_mutex_unlock(&g->other);
}
//~[kept,bare] SAFE
