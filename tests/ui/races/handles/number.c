//@ run: races --heaps reached
//@ revisions: bare locked
// A pointer that is a number which says what it is of a table. Whatever else is passed has an address, which is not any.
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used, values[2];

void *slot_new(void)
{
    pthread_mutex_lock(&lock);
    intptr_t slot = ++used;
    pthread_mutex_unlock(&lock);
    return (void *)slot;
}

int slot_count(void *handle)
{
    intptr_t slot = (intptr_t)handle;
    if (slot < 1 || slot > 2)
        return -1;
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    int value = ++values[slot - 1]; //~[bare] RACE
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    return value;
}
//~[locked] INCONCLUSIVE ledger=concretized
