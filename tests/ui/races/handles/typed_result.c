//@ run: races
//@ revisions: bare locked default
//@[bare] flags: --heaps reached
//@[locked] flags: --heaps reached
// What is returned as one type goes where `void *` is taken.
#include <pthread.h>
#include <stdlib.h>

struct impl {
    int magic;
    int value;
    pthread_mutex_t lock;
};

struct impl *impl_new(void)
{
    struct impl *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    i->magic = 'M';
    pthread_mutex_init(&i->lock, NULL);
    return i;
}

int impl_count(void *handle)
{
    int *magic = handle;
    if (*magic != 'M')
        return -1;
    struct impl *i = handle;
#ifdef locked
    pthread_mutex_lock(&i->lock);
#endif
    int value = ++i->value; //~[bare,default] RACE
#ifdef locked
    pthread_mutex_unlock(&i->lock);
#endif
    return value;
}
//~[locked] SAFE
