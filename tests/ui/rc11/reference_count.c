//@ run: check
//@ revisions: usual relaxed
// A count goes up relaxed and down with release; who takes it to zero acquires what the others did. RC11 allows this nothing that
// interleaving does not show.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value;
};

#ifdef usual
#define DOWN memory_order_release
#else
#define DOWN memory_order_relaxed
#endif

static void drop(struct object *o)
{
    if (atomic_fetch_sub_explicit(&o->references, 1, DOWN) == 1) { //~[relaxed] RACE@down read_write
        atomic_thread_fence(memory_order_acquire);
        free(o); //~[relaxed] RACE@use,down,up free
    }
}

static void *use(void *argument)
{
    struct object *o = argument;
    int v = o->value; //~[relaxed] RACE@use read
    drop(o);
    return v ? NULL : argument;
}

int main(void)
{
    pthread_t threads[2];
    struct object *o = malloc(sizeof *o);
    atomic_init(&o->references, 1);
    o->value = 3;
    for (int i = 0; i < 2; i++) {
        atomic_fetch_add_explicit(&o->references, 1, memory_order_relaxed); //~[relaxed] RACE@up read_write
        pthread_create(&threads[i], NULL, use, o);
    }
    drop(o);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
//~[usual] SAFE
