//@ run: races
//@ revisions: bare locked default
//@[bare] flags: --heaps reached
//@[locked] flags: --heaps reached
// A structure goes where its first member is taken (C11 6.7.2.1p15).
#include <pthread.h>
#include <stdlib.h>

struct base {
    int kind;
};

struct derived {
    struct base base;
    int value;
    pthread_mutex_t lock;
};

struct derived *derived_new(void)
{
    struct derived *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->base.kind = 7;
    pthread_mutex_init(&d->lock, NULL);
    return d;
}

int base_count(struct base *b)
{
    if (b->kind != 7)
        return -1;
    struct derived *d = (struct derived *)b;
#ifdef locked
    pthread_mutex_lock(&d->lock);
#endif
    int value = ++d->value; //~[bare,default] RACE
#ifdef locked
    pthread_mutex_unlock(&d->lock);
#endif
    return value;
}
//~[locked] SAFE
