//@ run: races --op bump
//@ revisions: bare locked
// A static function may be an operation, by its C name.
#include <pthread.h>

struct counter {
    pthread_mutex_t lock;
    int value;
};

__attribute__((unused)) static void bump(struct counter *c)
{
#ifdef locked
    pthread_mutex_lock(&c->lock);
#endif
    c->value++; //~[bare] RACE read/write //~[bare] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&c->lock);
#endif
}
//~[locked] SAFE
