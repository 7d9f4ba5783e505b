//@ run: races
// What ends an object in any of these ways is no destructor, and is explored as all others: it locks before, it frees on some ways
// only, it frees elements that another operation reaches, or a result of another operation says who may call it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_int count;
    int value;
};

struct shared *shared_new(void)
{
    struct shared *s = malloc(sizeof *s);
    if (s)
        atomic_init(&s->count, 1);
    return s;
}

// Of several that hold it, the last one frees it.
void shared_release(struct shared *s)
{
    if (atomic_fetch_sub(&s->count, 1) == 1) //~ RACE read_write
        free(s); //~ RACE free
}

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t all_there;
    int missing;
};

struct gate *gate_new(int missing)
{
    struct gate *g = malloc(sizeof *g);
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->all_there, NULL);
    g->missing = missing;
    return g;
}

// 1 for the last one that comes, which is to end it.
int gate_wait(struct gate *g)
{
    pthread_mutex_lock(&g->lock); //~ RACE
    int last = --g->missing == 0; //~ RACE
    while (g->missing > 0) //~ RACE
        pthread_cond_wait(&g->all_there, &g->lock); //~ RACE
                                                    //~^ LOCK_MISUSE
    pthread_cond_broadcast(&g->all_there); //~ RACE
    pthread_mutex_unlock(&g->lock); //~ RACE
    return last;
}

void gate_free(struct gate *g)
{
    free(g); //~ RACE
}

struct entry {
    int value;
};

struct cache {
    pthread_mutex_t lock;
    struct entry *first;
};

struct entry *entry_new(void)
{
    return calloc(1, sizeof(struct entry));
}

void entry_free(struct entry *e)
{
    free(e);
}

int cache_first(struct cache *c)
{
    pthread_mutex_lock(&c->lock);
    int value = c->first ? c->first->value : 0;
    pthread_mutex_unlock(&c->lock);
    return value;
}

struct box {
    pthread_mutex_t lock;
    int value;
};

// Others may be in it: it waits until they have left.
void box_close(struct box *b)
{
    pthread_mutex_lock(&b->lock); //~ RACE
    pthread_mutex_unlock(&b->lock); //~ RACE
    pthread_mutex_destroy(&b->lock); //~ RACE
}

//~ PAIR gate_wait gate_free findings
//~ PAIR entry_free cache_first safe
//~ FINDINGS ledger=vacuous
