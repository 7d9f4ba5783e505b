//@ run: races --heaps reached
//@ revisions: starts callback none
// What raddle's clients leave out is said: threads of the library's own have not run before two calls are made at once, and
// a callback that the program has none for is a function of the client's.
#include <pthread.h>
#include <stddef.h>

struct worker {
    pthread_mutex_t lock;
    pthread_t thread;
    int jobs;
};

#ifdef starts
static void *work(void *arg)
{
    struct worker *w = arg;
    pthread_mutex_lock(&w->lock);
    w->jobs = 0;
    pthread_mutex_unlock(&w->lock);
    return NULL;
}
#endif

void worker_init(struct worker *w)
{
    pthread_mutex_init(&w->lock, NULL);
    w->jobs = 0;
#ifdef starts
    pthread_create(&w->thread, NULL, work, w);
#endif
}

void add(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    w->jobs++;
    pthread_mutex_unlock(&w->lock);
}

#ifdef callback
void add_if(struct worker *w, int (*wanted)(int))
{
    pthread_mutex_lock(&w->lock);
    if (wanted(w->jobs))
        w->jobs++;
    pthread_mutex_unlock(&w->lock);
}
#endif
//~[starts] INCONCLUSIVE ledger=unsupported
//~[callback] SAFE
//~[none] SAFE
