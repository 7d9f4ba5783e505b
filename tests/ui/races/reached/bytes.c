//@ run: races --heaps reached
//@ revisions: once structure text late
// What a function uses byte by byte is characters: nobody passes it another object of the library for those.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct map {
    pthread_mutex_t lock;
    unsigned long last;
};

struct map *map_new(void)
{
    struct map *m = calloc(1, sizeof *m);
    pthread_mutex_init(&m->lock, 0);
    return m;
}

#ifdef structure
// What looks at the other map's member is no reader of bytes.
void map_touch(struct map *m, const void *key)
{
    const struct map *other = key;
    unsigned long h = other->last; //~[structure] RACE@last
#else
static unsigned long hash(const unsigned char *bytes)
{
    return bytes[0] * 33ul;
}

void map_touch(struct map *m, const void *key)
{
#ifdef text
    char start[1];
    memcpy(start, key, sizeof start);
    unsigned long h = (unsigned long)start[0];
#else
    const unsigned char *bytes = key;
    unsigned long h = hash(bytes + 0);
#endif
#endif
    pthread_mutex_lock(&m->lock);
#ifdef late
    pthread_mutex_unlock(&m->lock);
    m->last = h; //~[late] RACE write/write
#else
    m->last = h; //~[structure] RACE@last
    pthread_mutex_unlock(&m->lock);
#endif
}
//~[once,text] ASSUMED as_bytes
//~[once,text] SAFE
