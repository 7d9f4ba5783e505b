//@ run: races
//@ revisions: faulty32 fixed32 faulty64 fixed64
// A binary heap, whose places are halved on the way up and doubled on the way down. What is noted before the lock races.
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(faulty64) || defined(fixed64)
typedef uint64_t index_t;
#else
typedef uint32_t index_t;
#endif

struct heap {
    pthread_mutex_t lock;
    index_t n, cap;
    bool changed;
    int *at;
};

bool push(struct heap *h, int value)
{
#if defined(faulty32) || defined(faulty64)
    h->changed = true; //~[faulty32,faulty64] RACE
#endif
    pthread_mutex_lock(&h->lock);
    h->changed = true; //~[faulty32,faulty64] RACE
    bool room = h->n < h->cap;
    if (room) {
        index_t i = ++h->n;
        while (i > 1 && h->at[i / 2 - 1] > value) {
            h->at[i - 1] = h->at[i / 2 - 1];
            i /= 2;
        }
        h->at[i - 1] = value;
    }
    pthread_mutex_unlock(&h->lock);
    return room;
}

bool pop(struct heap *h, int *out)
{
    pthread_mutex_lock(&h->lock);
    bool any = h->n > 0;
    if (any) {
        *out = h->at[0];
        int last = h->at[--h->n];
        index_t i = 1;
        while (2 * i <= h->n) {
            index_t child = 2 * i;
            if (child < h->n && h->at[child] < h->at[child - 1])
                child++;
            if (h->at[child - 1] >= last)
                break;
            h->at[i - 1] = h->at[child - 1];
            i = child;
        }
        h->at[i - 1] = last;
    }
    pthread_mutex_unlock(&h->lock);
    return any;
}
//~[fixed32,fixed64] SAFE
