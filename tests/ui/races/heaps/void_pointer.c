//@ run: races --op store
//@ revisions: bare locked
// An untyped pointer takes the type that its first use gives it.
#include <pthread.h>

struct slot {
    pthread_mutex_t lock;
    int value;
};

void store(void *context, int value)
{
    struct slot *s = context;
#ifdef locked
    pthread_mutex_lock(&s->lock);
#endif
    s->value = value; //~[bare] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&s->lock);
#endif
}
//~[locked] SAFE
