//@ run: races
//@ revisions: unused asked
//@[asked] flags: --op count_of
// A static function of a source that nothing calls is no operation, and the report names it.
#include <pthread.h>

struct counter {
    pthread_mutex_t lock;
    int count;
};

static inline int count_of(struct counter *c)
{
#ifdef asked
    c->count--; //~[asked] RACE
#endif
    return c->count; //~[asked] RACE
}

void counter_add(struct counter *c)
{
    pthread_mutex_lock(&c->lock);
    c->count++;
    pthread_mutex_unlock(&c->lock);
}
//~[unused] SAFE
//~[unused] ASSUMED unused_statics
