//@ run: races
//@ revisions: initialised locked filled whole checked
// What initialises an object on all its ways, and reads nothing of it before, is a constructor: its caller has the object to
// itself.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct list {
    pthread_mutex_t lock;
    int *values;
    int used;
};

static int lock_init(pthread_mutex_t *lock)
{
    return pthread_mutex_init(lock, NULL);
}

int list_init(struct list *l)
{
#if defined initialised
    l->used = 0;
    l->values = NULL;
    pthread_mutex_init(&l->lock, NULL);
#elif defined locked
    l->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    l->used = 0;
#elif defined filled
    memset(l, 0, sizeof *l);
    l->values = calloc(4, sizeof *l->values);
#elif defined whole
    *l = (struct list){.lock = PTHREAD_MUTEX_INITIALIZER, .values = NULL, .used = 0};
    if (lock_init(&l->lock))
        return -1;
#elif defined checked
    if (!l)
        return -1;
    l->values = malloc(16);
    if (!l->values)
        return -1;
    if (lock_init(&l->lock) != 0) {
        free(l->values);
        return -1;
    }
    l->used = 0;
#endif
    return 0;
}

int list_used(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    int used = l->used;
    pthread_mutex_unlock(&l->lock);
    return used;
}
//~ SAFE
//~ PAIR list_init list_init exclusive
//~ PAIR list_init list_used exclusive
//~ PAIR list_used list_used safe
