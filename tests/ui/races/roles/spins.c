//@ run: races
//@ revisions: atomic plain once
// What waits before it ends an object, by looking at it again and again, is written to run beside others.
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int users, last;
    int busy;
};

struct object *object_new(void)
{
    struct object *o = malloc(sizeof *o);
    if (o) {
        atomic_init(&o->users, 0);
        atomic_init(&o->last, 0);
        o->busy = 0;
    }
    return o;
}

void object_end(struct object *o)
{
#if defined(atomic)
    while (atomic_load(&o->users) > 0) {
    }
#elif defined(plain)
    while (o->busy) {
    }
#else
    if (atomic_load(&o->users) > 0)
        abort();
#endif
    free(o); //~[atomic,plain] RACE free
}

void object_leave(struct object *o)
{
    atomic_fetch_sub(&o->users, 1); //~[atomic,plain] RACE
    atomic_store(&o->last, 1);      //~[atomic,plain] RACE
}
//~[once] SAFE
//~[once] PAIR object_end object_leave exclusive
