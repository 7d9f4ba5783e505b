//@ run: races
//@ revisions: relaxed semaphore result freed_early
// Calls of which the second fails whenever it is made after the first are for callers to order, whatever the first synchronises with: a
// count whose additions are relaxed, a semaphore, nothing. So are two calls that are passed one variable for what they make.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined relaxed || defined freed_early
struct buffer {
    atomic_int users;
    int value;
};

struct buffer *buffer_new(void)
{
    struct buffer *b = calloc(1, sizeof *b);
    if (b)
        atomic_init(&b->users, 1);
    return b;
}

void buffer_ref(struct buffer *b)
{
    atomic_fetch_add_explicit(&b->users, 1, memory_order_relaxed); //~[relaxed,freed_early] RACE read_write/free with 37
}

void buffer_unref(struct buffer *b)
{
#ifdef freed_early
    b->value = 0; //~[freed_early] RACE write/write //~[freed_early] RACE write/free with 37
    if (atomic_fetch_sub_explicit(&b->users, 1, memory_order_relaxed) == 1) //~[freed_early] RACE read_write/free with 37
#else
    if (atomic_fetch_sub_explicit(&b->users, 1, memory_order_acq_rel) == 1) //~[relaxed] RACE read_write/free with 37
#endif
        free(b);
}
//~[relaxed] CONTRACT `buffer_ref` and `buffer_unref` run beside `buffer_unref`, after which they always fail
#elif defined semaphore
struct cell {
    int *value;
    sem_t turn;
};

void cell_init(struct cell *c)
{
    c->value = calloc(1, sizeof *c->value);
    sem_init(&c->turn, 0, 1);
}

void cell_end(struct cell *c)
{
    free(c->value); //~[semaphore] RACE free/write with 60
}

void cell_put(struct cell *c, int value)
{
    sem_wait(&c->turn);
    c->value[0] = value;
    sem_post(&c->turn);
}
//~[semaphore] CONTRACT `cell_put` runs beside `cell_end`, after which it always fails
#else
struct object {
    pthread_mutex_t lock;
    int value;
};

int object_create(struct object **out)
{
    struct object *o = calloc(1, sizeof *o);
    if (!o)
        return -1;
    pthread_mutex_init(&o->lock, NULL);
    *out = o; //~[result] RACE write/write
    return 0;
}

void object_add(struct object *o)
{
    pthread_mutex_lock(&o->lock);
    o->value++;
    pthread_mutex_unlock(&o->lock);
}
//~[result] CONTRACT `object_create` is passed one `struct object *` by several threads
#endif
//~[freed_early] CAUSE one thread writes `struct buffer.value` while another writes it
//~[freed_early] CAUSE `buffer_unref` frees a `struct buffer` while `buffer_unref` uses it
//~[freed_early] CONTRACT `buffer_ref` runs beside `buffer_unref`, after which it always fails
