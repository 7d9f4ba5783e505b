//@ run: races
//@ revisions: locked bare
// A buffer behind a pointer to characters may be one that stands in the structure itself, but then only that: what is written
// beyond its end is a failure of the run alone, and no race with the neighbouring lock.
#include <pthread.h>

struct line {
    pthread_mutex_t lock;
    char *buffer;
    int length;
    char inside[4];
    int after;
};

int append(struct line *l, char c)
{
    pthread_mutex_lock(&l->lock);
    int fits = l->length < 8;
    if (fits)
        l->buffer[l->length++] = c; //~[bare] RACE@look write
    pthread_mutex_unlock(&l->lock);
    return fits;
}

int first(struct line *l)
{
#ifdef bare
    return l->buffer[0]; //~[bare] RACE@look read
#else
    pthread_mutex_lock(&l->lock);
    int c = l->buffer[0];
    pthread_mutex_unlock(&l->lock);
    return c;
#endif
}

int after(struct line *l)
{
    return l->after;
}
//~[locked] SAFE
