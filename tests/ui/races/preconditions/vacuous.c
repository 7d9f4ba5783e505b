//@ run: races --op broken --op fine
// An operation that faults on every shape when run alone: nothing can be said about it, and that is said.
#include <pthread.h>
#include <stddef.h>

struct box {
    pthread_mutex_t lock;
    int value;
};

void broken(struct box *b)
{
    int *p = NULL;
    b->value = *p;
}

void fine(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    b->value = 1;
    pthread_mutex_unlock(&b->lock);
}
//~ VACUOUS broken
//~ PAIR fine fine safe
//~ DROPPED broken
