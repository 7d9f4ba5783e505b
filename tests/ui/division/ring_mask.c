//@ run: races
//@ revisions: faulty32 fixed32 faulty64 fixed64
// A ring buffer whose capacity is a power of two: places are counted on, and masked. Counting behind the lock races.
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(faulty64) || defined(fixed64)
typedef uint64_t index_t;
#else
typedef uint32_t index_t;
#endif

struct ring {
    pthread_mutex_t lock;
    index_t head, count, cap;
    int *slots;
};

bool put(struct ring *r, int value)
{
    pthread_mutex_lock(&r->lock);
    bool room = r->count < r->cap; //~[faulty32,faulty64] RACE
    if (room)
        r->slots[(r->head + r->count) & (r->cap - 1)] = value; //~[faulty32,faulty64] RACE
#if defined(faulty32) || defined(faulty64)
    pthread_mutex_unlock(&r->lock);
    if (room)
        r->count++; //~[faulty32,faulty64] RACE
#else
    if (room)
        r->count++;
    pthread_mutex_unlock(&r->lock);
#endif
    return room;
}

bool get(struct ring *r, int *out)
{
    pthread_mutex_lock(&r->lock);
    bool any = r->count > 0; //~[faulty32,faulty64] RACE
    if (any) {
        *out = r->slots[r->head];
        r->head = (r->head + 1) & (r->cap - 1);
        r->count--; //~[faulty32,faulty64] RACE
    }
    pthread_mutex_unlock(&r->lock);
    return any;
}
//~[fixed32,fixed64] SAFE
