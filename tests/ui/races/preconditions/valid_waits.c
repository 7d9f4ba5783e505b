//@ run: races
//@ revisions: awaited lost
//@ flags: --valid ok --op get --op put
// That an operation waits for a signal is no failure, unless it waits where it need not.
#include <pthread.h>

struct future {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int done;
};

static int ok(const struct future *f)
{
    return f->done == 0;
}

void get(struct future *f)
{
    pthread_mutex_lock(&f->lock);
#ifdef lost
    int done = f->done;
    pthread_mutex_unlock(&f->lock);
    pthread_mutex_lock(&f->lock);
    if (!done)
        pthread_cond_wait(&f->ready, &f->lock); //~[lost] DEADLOCK
#else
    while (!f->done)
        pthread_cond_wait(&f->ready, &f->lock);
#endif
    pthread_mutex_unlock(&f->lock);
}

void put(struct future *f)
{
    pthread_mutex_lock(&f->lock);
    f->done = 1;
    pthread_cond_signal(&f->ready);
    pthread_mutex_unlock(&f->lock);
}
//~[awaited] SAFE
