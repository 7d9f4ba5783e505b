//@ run: races --heaps any
// A number that a function makes an address of is a handle: what that leads to is not known, and said.
#include <pthread.h>
#include <stdint.h>

struct total {
    pthread_mutex_t lock;
    int sum;
};

void total_add(uintptr_t handle)
{
    struct total *t = (struct total *)handle;
    pthread_mutex_lock(&t->lock);
    t->sum++;
    pthread_mutex_unlock(&t->lock);
}

int total_get(uintptr_t handle)
{
    return ((struct total *)handle)->sum;
}
//~ INCONCLUSIVE ledger=symbolic_address,vacuous
