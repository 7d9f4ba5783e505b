//@ run: races
//@ revisions: left joined
// On heaps that are assumed nobody has started the threads that the library starts and leaves: what they do beside its calls was not looked
// at, and the library was called safe.
#include <pthread.h>
#include <stdlib.h>

struct options {
    int workers;
};

struct pool {
    pthread_mutex_t lock;
    pthread_t worker;
    int sum;
};

static void *work(void *arg)
{
    struct pool *p = arg;
#ifdef left
    p->sum++;
#else
    pthread_mutex_lock(&p->lock);
    p->sum++;
    pthread_mutex_unlock(&p->lock);
#endif
    return NULL;
}

struct pool *pool_new(const struct options *options)
{
    if (options->workers < 1)
        return NULL;
    struct pool *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_create(&p->worker, NULL, work, p);
#ifdef joined
    pthread_join(p->worker, NULL);
#endif
    return p;
}

int pool_sum(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    int sum = p->sum;
    pthread_mutex_unlock(&p->lock);
    return sum;
}
//~[left] INCONCLUSIVE ledger=unsupported
//~[joined] SAFE
