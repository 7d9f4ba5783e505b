//@ run: races
// What walks over the bytes of a whole structure, or over two of its members with one call, reads all of them.
#include <pthread.h>
#include <string.h>

struct key {
    char name[2];
    char kind[2];
};

struct entry {
    struct key key;
    pthread_mutex_t lock;
};

unsigned hash(struct entry *e)
{
    const unsigned char *byte = (const unsigned char *)&e->key;
    unsigned h = 0;
    for (unsigned i = 0; i < sizeof e->key; i++)
        h = h * 31 + byte[i]; //~ RACE@a,b read
    return h;
}

int is_empty(struct entry *e)
{
    static const char zero[sizeof(struct key)];
    return memcmp(e->key.name, zero, sizeof zero) == 0; //~ RACE@c,d read
}

void clear(struct entry *e)
{
    pthread_mutex_lock(&e->lock);
    memset(e->key.name, 0, sizeof e->key); //~ RACE@a,c write
    pthread_mutex_unlock(&e->lock);
}

void set_kind(struct entry *e)
{
    pthread_mutex_lock(&e->lock);
    e->key.kind[0] = 1; //~ RACE@b,d write
    pthread_mutex_unlock(&e->lock);
}
