//@ run: races --op arm --op fire
//@ revisions: bare locked
// The write of one thread opens the path of the other on which they race: alone, `fire` never gets there.
#include <pthread.h>
#include <stdatomic.h>

struct gun {
    pthread_mutex_t lock;
    _Atomic int armed;
    int shots;
};

void arm(struct gun *g)
{
    g->armed = 77;
    pthread_mutex_lock(&g->lock);
    g->shots = 1; //~[bare] RACE@shots write
    pthread_mutex_unlock(&g->lock);
}

void fire(struct gun *g)
{
    int before = g->armed;
    int after = g->armed;
    if (before == after)
        return;
#ifdef locked
    pthread_mutex_lock(&g->lock);
#endif
    g->shots = 0; //~[bare] RACE@shots write
#ifdef locked
    pthread_mutex_unlock(&g->lock);
#endif
}
//~[locked] SAFE executions=10
