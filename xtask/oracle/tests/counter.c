//@ run: races --op set --op get --op look --depth 1
//@ revisions: fixed shared tried copied
// A value with a read-write lock and a count of its reads with a spin lock: what the structures of bench/ssrd do not use.
//   shared   set takes the lock as a reader.
//   tried    get counts whether it got the spin lock or not.
//   copied   look copies the value without the lock.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct value {
    int low, high;
};

struct counter {
    pthread_rwlock_t lock;
    pthread_spinlock_t spin;
    struct value value;
    int reads;
};

struct counter *create(void)
{
    struct counter *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    pthread_rwlock_init(&c->lock, NULL);
    pthread_spin_init(&c->spin, PTHREAD_PROCESS_PRIVATE);
    return c;
}

void set(struct counter *c, int to)
{
#ifdef shared
    pthread_rwlock_rdlock(&c->lock);
#else
    pthread_rwlock_wrlock(&c->lock);
#endif
    c->value.high = to; //~[shared] RACE write/write
    //~^[shared] RACE@a,c write
    //~^^[copied] RACE@a write
    pthread_rwlock_unlock(&c->lock);
}

int get(struct counter *c)
{
    pthread_rwlock_rdlock(&c->lock);
    int value = c->value.high; //~[shared] RACE@a read
    pthread_rwlock_unlock(&c->lock);
#ifdef tried
    int busy = pthread_spin_trylock(&c->spin);
#else
    int busy = pthread_spin_lock(&c->spin);
#endif
    c->reads++; //~[tried] RACE read/write
    //~^[tried] RACE write/write
    if (busy == 0)
        pthread_spin_unlock(&c->spin);
    return value;
}

int look(struct counter *c)
{
    struct value copy;
#ifndef copied
    if (pthread_rwlock_tryrdlock(&c->lock) != 0)
        return -1;
#endif
    memcpy(&copy, &c->value, sizeof copy); //~[shared] RACE@c read
    //~^[copied] RACE@a read
#ifndef copied
    pthread_rwlock_unlock(&c->lock);
#endif
    return copy.low;
}

//~[fixed] SAFE
