//@ run: races --heaps reached --spurious 0
//@ revisions: refuses forgets wakes
// A member of a barrier waits for the other members. Who closes the barrier leaves it alone while somebody waits: one who was woken would wait
// again, so that is no deadlock of the two, but it is said. Who closes it all the same has to wake them.
#include <pthread.h>

struct barrier {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    int open;
    int members, missing, round;
};

void barrier_init(struct barrier *b, int members)
{
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->turned, NULL);
    b->open = 1;
    b->members = b->missing = members;
    b->round = 0;
}

void barrier_close(struct barrier *b)
{
    pthread_mutex_lock(&b->lock);
#ifdef refuses
    if (b->missing == b->members)
        b->open = 0;
#else
    b->open = 0;
#ifdef wakes
    pthread_cond_broadcast(&b->turned);
#endif
#endif
    pthread_mutex_unlock(&b->lock);
}

int barrier_wait(struct barrier *b)
{
    pthread_mutex_lock(&b->lock);
    int was_open = b->open;
    if (was_open && --b->missing == 0) {
        b->round++;
        b->missing = b->members;
        pthread_cond_broadcast(&b->turned);
    } else if (was_open) {
        int round = b->round;
        while (b->open && round == b->round)
            pthread_cond_wait(&b->turned, &b->lock); //~[forgets] DEADLOCK
    }
    pthread_mutex_unlock(&b->lock);
    return was_open;
}
//~[refuses] SAFE
//~[refuses] ASSUMED woken
//~[wakes] SAFE
