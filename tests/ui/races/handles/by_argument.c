//@ run: races
//@ revisions: bare locked default
//@[bare] flags: --heaps reached
//@[locked] flags: --heaps reached
// A handle that a call stores where `void **` leads is passed on.
#include <pthread.h>
#include <stdlib.h>

struct impl {
    char magic;
    int value;
    pthread_mutex_t lock;
};

int handle_new(void **out)
{
    struct impl *i = calloc(1, sizeof *i);
    if (!i)
        return -1;
    i->magic = 'M';
    pthread_mutex_init(&i->lock, NULL);
    *out = i; //~[default] RACE
    return 0;
}

int handle_count(void *handle)
{
    struct impl *i = handle;
    if (i->magic != 'M')
        return -1;
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
