//@ run: check
//@ revisions: relaxed ordered
// A lock that is not to be had tells that another thread has it, and orders nothing: what that thread has stored before need not be seen.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;

static void *owner(void *argument)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, owner, NULL);
#ifdef relaxed
    if (pthread_mutex_trylock(&lock) != 0)
        assert(atomic_load_explicit(&x, memory_order_relaxed) == 1);
    else
        pthread_mutex_unlock(&lock);
#else
    pthread_mutex_lock(&lock);
    int seen = atomic_load_explicit(&x, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    assert(seen <= atomic_load_explicit(&x, memory_order_relaxed));
#endif
    pthread_join(thread, NULL);
    return 0;
}
//~[relaxed] INCONCLUSIVE ledger=weak_memory
//~[ordered] SAFE
