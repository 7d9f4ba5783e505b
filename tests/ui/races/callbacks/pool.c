//@ run: races
//@ revisions: locked bare
// Tasks that a client gives: the functions are the client's, and clients that pass them lead to the race as well.
#include <pthread.h>
#include <stdlib.h>

struct task {
    void (*run)(void *);
    void *argument;
    struct task *next;
};

struct pool {
    pthread_mutex_t lock;
    struct task *first;
    int done;
};

struct pool *pool_new(void)
{
    struct pool *p = calloc(1, sizeof *p);
    if (p)
        pthread_mutex_init(&p->lock, NULL);
    return p;
}

void pool_submit(struct pool *p, void (*run)(void *), void *argument)
{
    struct task *t = malloc(sizeof *t);
    if (!t)
        return;
    t->run = run;
    t->argument = argument;
    pthread_mutex_lock(&p->lock);
    t->next = p->first;
    p->first = t;
    pthread_mutex_unlock(&p->lock);
}

int pool_work(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    struct task *t = p->first;
    if (t)
        p->first = t->next;
    pthread_mutex_unlock(&p->lock);
    if (!t)
        return 0;
    t->run(t->argument);
    free(t);
#ifdef bare
    p->done++; //~[bare] RACE read/write //~[bare] RACE write/write
#else
    pthread_mutex_lock(&p->lock);
    p->done++;
    pthread_mutex_unlock(&p->lock);
#endif
    return 1;
}
//~[locked] SAFE
