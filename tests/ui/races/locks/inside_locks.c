//@ run: races --op set --depth 2
//@ revisions: unlocked locked any_member
//@[any_member] flags: --any-member
// A pointer to an int leads to an int, never into a lock: two shapes of the counter (none, another int's two elements), and the
// field of its own structure, where that is asked for.
#include <pthread.h>

struct cell {
    pthread_mutex_t lock;
    int value;
    int *watched;
};

void set(struct cell *c)
{
    pthread_mutex_lock(&c->lock);
    int *watched = c->watched;
#ifdef unlocked
    pthread_mutex_unlock(&c->lock);
#endif
    if (watched)
        *watched = 1; //~[unlocked] RACE write/write
#ifndef unlocked
    pthread_mutex_unlock(&c->lock);
#endif
}
//~[locked] SAFE executions=3
//~[any_member] SAFE executions=7
