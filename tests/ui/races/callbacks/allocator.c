//@ run: races
// Which pointers a client's function may return, nobody says: a null pointer is one of them, and there may be more.
#include <pthread.h>
#include <stddef.h>

struct buffer {
    pthread_mutex_t lock;
    void *(*allocate)(size_t);
    char *bytes;
    int failures;
};

void grow(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    b->bytes = b->allocate(8); //~ RACE@own write
    pthread_mutex_unlock(&b->lock);
    if (!b->bytes) //~ RACE@race,own read
        b->failures++; //~ RACE read/write //~ RACE write/write
}

void drop(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    b->bytes = NULL; //~ RACE@race write
    pthread_mutex_unlock(&b->lock);
}
