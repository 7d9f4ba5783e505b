//@ run: races --op add --op walk
//@ revisions: none deeper fails some
//@[none] flags: --valid none_ok
//@[deeper] flags: --valid deeper_ok
//@[fails] flags: --valid fails_ok
//@[some] flags: --valid some_ok
// A predicate that accepts no shape, by mistake or within the bounds, leaves nothing to explore. That is another matter than
// one whose shapes an operation does not survive.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct list {
    pthread_mutex_t lock;
    struct list *next;
    int n;
};

bool none_ok(const struct list *l)
{
    return l != NULL && l->n > 3 && l->n < 2;
}

bool deeper_ok(const struct list *l)
{
    int count = 0;
    for (; l != NULL && count < 5; l = l->next)
        count++;
    return count == 4 && l == NULL;
}

bool fails_ok(const struct list *l)
{
    return l->next->n > 0 && l->next->n < 0;
}

bool some_ok(const struct list *l)
{
    return l != NULL && l->next == NULL;
}

void add(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    l->n++;
    pthread_mutex_unlock(&l->lock);
}

void walk(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    l->next->n++;
    pthread_mutex_unlock(&l->lock);
}
//~[none,deeper,fails] VACUOUS add
//~ VACUOUS walk
//~[none,deeper,fails] INCONCLUSIVE ledger=vacuous
//~[some] DROPPED walk
//~[some] PAIR add add safe
