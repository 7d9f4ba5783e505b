//@ run: races --heaps reached
//@ revisions: locked unlocked
// What calls one after another show already is the caller's affair: an index that is too large for the array.
#include <pthread.h>

struct slots {
    pthread_mutex_t lock;
    int values[4];
};

void slots_init(struct slots *s)
{
    pthread_mutex_init(&s->lock, NULL);
    for (int i = 0; i < 4; i++)
        s->values[i] = 0;
}

void set(struct slots *s, int index, int value)
{
#ifdef locked
    pthread_mutex_lock(&s->lock);
#endif
    s->values[index & 7] = value; //~[unlocked] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&s->lock);
#endif
}
//~[locked] SAFE
