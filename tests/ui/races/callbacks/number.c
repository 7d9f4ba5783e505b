//@ run: races
//@ revisions: inside outside
// A client's function may return a floating-point number, which is any.
#include <pthread.h>

struct scale {
    pthread_mutex_t lock;
    double total;
    int heavy;
    double (*weight)(int);
};

void weigh(struct scale *s, int key)
{
    pthread_mutex_lock(&s->lock);
    double weight = s->weight(key);
    s->total += weight;
#ifdef inside
    if (weight > 2.5)
        s->heavy++;
    pthread_mutex_unlock(&s->lock);
#else
    pthread_mutex_unlock(&s->lock);
    if (weight > 2.5)
        s->heavy++; //~[outside] RACE read/write //~[outside] RACE write/write
#endif
    // A number is not larger and smaller.
    if (weight > 2.5 && weight < 2.5)
        s->heavy++;
}
//~[inside] SAFE
