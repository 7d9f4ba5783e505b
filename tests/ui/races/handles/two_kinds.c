//@ run: races --heaps reached
//@ revisions: apart headed bare
// Of untyped handles of two kinds each goes where its structure is used; a function that looks at what both begin with takes both.
#include <pthread.h>
#include <stdlib.h>

struct header {
    int kind;
};

struct counter {
    int kind;
    int count;
    pthread_mutex_t lock;
};

struct gauge {
    int kind;
    pthread_mutex_t lock;
    int level;
};

void *counter_new(void)
{
    struct counter *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->kind = 1;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void *gauge_new(void)
{
    struct gauge *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->kind = 2;
    pthread_mutex_init(&g->lock, NULL);
    return g;
}

void counter_add(void *handle)
{
    struct counter *c = handle;
    pthread_mutex_lock(&c->lock);
    c->count++; //~[headed] RACE
    pthread_mutex_unlock(&c->lock);
}

void gauge_set(void *handle, int level)
{
    struct gauge *g = handle;
#ifndef bare
    pthread_mutex_lock(&g->lock);
#endif
    g->level = level; //~[bare] RACE
#ifndef bare
    pthread_mutex_unlock(&g->lock);
#endif
}

#ifdef headed
int count_of(void *handle)
{
    struct header *h = handle;
    if (h->kind != 1)
        return 0;
    return ((struct counter *)h)->count; //~[headed] RACE
}
#endif
//~[apart] SAFE
