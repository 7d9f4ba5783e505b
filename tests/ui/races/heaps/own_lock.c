//@ run: races --heaps any
//@ revisions: own helper shared given copied returned
// A lock behind a pointer is an object's own if nothing but new memory is ever stored in that member, and what stands there goes nowhere else:
// then what hangs on one object hangs on no other, as where the lock stands in it. Who ends one ends nothing of another's.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct box {
    int *items;
    pthread_mutex_t *lock;
};

#ifdef shared
struct box *box_new(pthread_mutex_t *lock)
#else
struct box *box_new(void)
#endif
{
    struct box *b = malloc(sizeof *b);
    b->items = calloc(2, sizeof(int));
#ifdef shared
    b->lock = lock;
#else
    b->lock = malloc(sizeof *b->lock);
    pthread_mutex_init(b->lock, NULL);
#endif
    return b;
}

#ifdef given
pthread_mutex_t **box_lock(struct box *b)
{
    return &b->lock;
}
#endif
#ifdef copied
struct box *box_copy(const struct box *from)
{
    struct box *b = malloc(sizeof *b);
    *b = *from;
    return b;
}
#endif
#ifdef returned
const pthread_mutex_t *box_lock_of(struct box *b)
{
    return b->lock;
}
#endif

#ifdef helper
static void enter(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
}
#else
#define enter pthread_mutex_lock
#endif

int box_get(struct box *b)
{
    enter(b->lock);
    int value = b->items[0]; //~[shared,given,copied,returned] RACE@items read
    pthread_mutex_unlock(b->lock);
    return value;
}

void box_free(struct box *b)
{
    free(b->items); //~[shared,given,copied,returned] RACE@items free
    free(b);
}
//~[own,helper] SAFE
//~ PAIR box_free box_free exclusive
