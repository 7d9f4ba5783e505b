//@ run: races --heaps reached --client-calls 4
//@ revisions: constant locked
// What is constant to a client is passed where nothing else is asked for.
#include <pthread.h>
#include <stdlib.h>

struct item {
    int value;
};

struct table {
    pthread_mutex_t lock;
    struct item *slot;
};

struct table *table_new(void)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    t->slot = calloc(1, sizeof *t->slot);
    return t;
}

const struct item *table_item(struct table *t)
{
    pthread_mutex_lock(&t->lock);
    const struct item *item = t->slot;
    pthread_mutex_unlock(&t->lock);
    return item;
}

void table_bump(struct table *t)
{
    pthread_mutex_lock(&t->lock);
    if (t->slot)
        t->slot->value++; //~[constant] RACE write
    pthread_mutex_unlock(&t->lock);
}

int item_value(const struct item *item)
{
#if defined(locked)
    (void)item;
    return 0;
#else
    return item->value; //~[constant] RACE read
#endif
}
//~[locked] SAFE
