//@ run: races --op finish --op current --client-calls 0
//@ revisions: array given passed
// Memory that has pointers in it is no member of another structure, unless the program keeps the address of such a member. What callers
// pass may be the place of any pointer of theirs.
#include <pthread.h>
#include <stddef.h>

struct job {
    int number;
};

struct worker {
    pthread_mutex_t lock;
    struct job *current;
};

struct pool {
    pthread_mutex_t lock;
    struct job **queue;
    int size;
    struct worker *worker;
};

#ifdef passed
void finish(struct pool *p, struct job **queue)
{
    pthread_mutex_lock(&p->lock);
    *queue = NULL; //~[passed] RACE@any write
    pthread_mutex_unlock(&p->lock);
}
#else
void finish(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < p->size; i++)
        p->queue[i] = NULL; //~[given] RACE@any write
    pthread_mutex_unlock(&p->lock);
}
#endif

struct job *current(struct pool *p)
{
    struct worker *w = p->worker;
    if (!w)
        return NULL;
    pthread_mutex_lock(&w->lock);
    struct job *it = w->current; //~[given,passed] RACE@any read
    pthread_mutex_unlock(&w->lock);
    return it;
}

#ifdef given
void serve(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->queue = &p->worker->current;
    pthread_mutex_unlock(&p->lock);
}
#endif
//~[array] SAFE
//~[array] ASSUMED members
