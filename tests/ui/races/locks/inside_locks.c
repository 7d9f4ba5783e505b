//@ run: races --op set --depth 2
//@ revisions: unlocked locked
// A pointer to an int leads to an int, never into a lock: three shapes of the counter (none, its own field, another int's
// two elements).
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
#ifdef locked
    pthread_mutex_unlock(&c->lock);
#endif
}
//~[locked] SAFE executions=5
