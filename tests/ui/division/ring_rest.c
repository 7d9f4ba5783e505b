//@ run: races
//@ revisions: faulty fixed
// A ring buffer of 64-bit indices that subtracts what divides. Counting behind the lock races.
#include <pthread.h>
#include <stdint.h>

struct ring {
    pthread_mutex_t lock;
    uint64_t size, head, count;
    int *data;
};

static uint64_t within(uint64_t at, uint64_t size) { return at - at / size * size; }

int push(struct ring *r, int value)
{
    int fits = 0;
    pthread_mutex_lock(&r->lock);
    if (r->count < r->size) { //~[faulty] RACE
        r->data[within(r->head + r->count, r->size)] = value; //~[faulty] RACE
        fits = 1;
    }
#ifdef fixed
    r->count += fits;
#endif
    pthread_mutex_unlock(&r->lock);
#ifdef faulty
    r->count += fits; //~[faulty] RACE
#endif
    return fits;
}

int pop(struct ring *r, int *value)
{
    int taken = 0;
    pthread_mutex_lock(&r->lock);
    if (r->count) { //~[faulty] RACE
        *value = r->data[r->head];
        r->head = within(r->head + 1, r->size);
        r->count--; //~[faulty] RACE
        taken = 1;
    }
    pthread_mutex_unlock(&r->lock);
    return taken;
}
//~[fixed] SAFE
