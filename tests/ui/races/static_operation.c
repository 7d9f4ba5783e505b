//@ run: races --op bump
//@ revisions: bare locked
// A static function may be an operation, by its C name, if something refers to it: the compiler drops it otherwise.
#include <pthread.h>

struct counter {
    pthread_mutex_t lock;
    int value;
};

static void bump(struct counter *c)
{
#ifdef locked
    pthread_mutex_lock(&c->lock);
#endif
    c->value++; //~[bare] RACE read/write //~[bare] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&c->lock);
#endif
}
void (*const counter_operation)(struct counter *) = bump;
//~[locked] SAFE
