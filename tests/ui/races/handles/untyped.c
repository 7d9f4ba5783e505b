//@ run: races
//@ revisions: bare locked default
//@[bare] flags: --heaps reached
//@[locked] flags: --heaps reached
// What is declared as `void *` clients pass on all the same, also where the library looks whether it is a handle of its own.
#include <pthread.h>
#include <stdlib.h>

struct impl {
    char magic;
    int value;
    pthread_mutex_t lock;
};

void *handle_new(void)
{
    struct impl *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    i->magic = 'M';
    pthread_mutex_init(&i->lock, NULL);
    return i;
}

int handle_count(void *handle)
{
    char *magic = handle;
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
