//@ run: races --heaps reached
//@ revisions: locked unlocked
// With an index that is too large, or negative, `set` would write over the lock: what its caller does one call after the other as well is
// no race of the library's.
#include <pthread.h>

struct slots {
    int before;
    int values[4];
    pthread_mutex_t lock;
    int last;
};

void slots_init(struct slots *s)
{
    pthread_mutex_init(&s->lock, NULL);
    for (int i = 0; i < 4; i++)
        s->values[i] = 0;
    s->before = s->last = 0;
}

void set(struct slots *s, int index, int value)
{
#ifdef locked
    pthread_mutex_lock(&s->lock);
#endif
    s->values[index] = value; //~[unlocked] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&s->lock);
#endif
}

void touch(struct slots *s)
{
    pthread_mutex_lock(&s->lock);
    s->last++;
    s->before++;
    pthread_mutex_unlock(&s->lock);
}
//~[locked] SAFE
