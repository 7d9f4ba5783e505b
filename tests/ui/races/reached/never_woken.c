//@ run: races --heaps reached
//@ revisions: forgets wakes
// Two come to a gate and the second one forgets to wake the first. Called one after the other the first waits as well, perhaps for a call
// that nobody looks at: that is no finding, but it is said, or `safe` would be of a library that hangs.
#include <pthread.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t all_there;
    int arrived;
};

void gate_init(struct gate *g)
{
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->all_there, NULL);
    g->arrived = 0;
}

void gate_pass(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->arrived++;
#ifdef wakes
    if (g->arrived == 2)
        pthread_cond_broadcast(&g->all_there);
#endif
    while (g->arrived < 2)
        pthread_cond_wait(&g->all_there, &g->lock);
    pthread_mutex_unlock(&g->lock);
}
//~ SAFE
//~[forgets] ASSUMED woken
