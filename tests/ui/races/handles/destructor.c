//@ run: races
//@ revisions: default reached early
//@[reached] flags: --heaps reached
//@[early] flags: --heaps reached
// What ends an untyped handle is a destructor as one of a typed one is: its caller has the handle to itself. Where it locks first, it may be
// written to run beside others.
#include <pthread.h>
#include <stdlib.h>

struct impl {
    pthread_mutex_t lock;
    int value;
};

void *handle_open(void)
{
    struct impl *i = malloc(sizeof *i);
    if (!i)
        return NULL;
    pthread_mutex_init(&i->lock, NULL);
    i->value = 0;
    return i;
}

void handle_set(void *handle, int value)
{
    struct impl *i = handle;
    pthread_mutex_lock(&i->lock); //~[early] RACE
                                  //~^[early] LOCK_MISUSE
    i->value = value; //~[early] RACE
    pthread_mutex_unlock(&i->lock); //~[early] RACE
}

void handle_close(void *handle)
{
    struct impl *i = handle;
#ifdef early
    pthread_mutex_lock(&i->lock);
    pthread_mutex_unlock(&i->lock);
#endif
    pthread_mutex_destroy(&i->lock); //~[early] RACE
                                     //~^[early] LOCK_MISUSE
    free(i); //~[early] RACE
}
//~[default,reached] SAFE
//~[default,reached] PAIR handle_set handle_close exclusive
//~[default,reached] PAIR handle_close handle_close exclusive
