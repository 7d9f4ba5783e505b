//@ run: races
//@ revisions: bare locked default
//@[bare] flags: --heaps reached
//@[locked] flags: --heaps reached
// A handle in a structure that a call returns, and another is passed by value.
#include <pthread.h>
#include <stdlib.h>

struct impl {
    char magic;
    int value;
    pthread_mutex_t lock;
};

typedef struct {
    void *impl;
} handle;

handle handle_new(void)
{
    struct impl *i = calloc(1, sizeof *i);
    if (i) {
        i->magic = 'M';
        pthread_mutex_init(&i->lock, NULL);
    }
    return (handle){ i };
}

int handle_count(handle h)
{
    struct impl *i = h.impl;
    if (!i || i->magic != 'M')
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
