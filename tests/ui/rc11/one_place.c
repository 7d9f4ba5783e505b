//@ run: check
//@ revisions: one two tried
// What threads tell each other by one variable alone, beside locks, is what interleaving shows, however long they go on.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stopped;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int jobs;
#ifdef two
static atomic_int done;
#else
static int done;
#endif

static void *worker(void *argument)
{
    while (!atomic_load_explicit(&stopped, memory_order_relaxed)) {
        pthread_mutex_lock(&m);
        jobs = !jobs;
        pthread_mutex_unlock(&m);
    }
#ifdef two
    atomic_store_explicit(&done, 1, memory_order_relaxed);
#endif
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
#ifdef tried
    // Who tries learns what the lock is like, and comes behind nothing.
    if (pthread_mutex_trylock(&m) == 0)
        pthread_mutex_unlock(&m);
#endif
    atomic_store_explicit(&stopped, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    return done;
}
//~[one] SAFE
//~[two] INCONCLUSIVE ledger=weak_memory
//~[tried] INCONCLUSIVE ledger=weak_memory
