//@ run: races --heaps reached
//@ revisions: one of_each locked
// `calloc(1, n * sizeof(T))` allocates elements as `calloc(n, sizeof(T))` does: a size of so many bytes left only none, and the library was
// called safe.
#include <pthread.h>
#include <stdlib.h>

struct counters {
    pthread_mutex_t lock;
    int count;
    long *all;
};

struct counters *counters_new(int count)
{
    struct counters *c = malloc(sizeof *c);
    if (c == NULL)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    c->count = count;
#ifdef of_each
    c->all = calloc(count, sizeof(long));
#else
    c->all = calloc(1, count * sizeof(long));
#endif
    if (c->all == NULL)
        c->count = 0;
    return c;
}

void counters_set(struct counters *c, int index)
{
    if (index < 0 || index >= c->count)
        return;
#ifdef locked
    pthread_mutex_lock(&c->lock);
#endif
    c->all[index] = index; //~[one,of_each] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&c->lock);
#endif
}
//~[locked] SAFE
