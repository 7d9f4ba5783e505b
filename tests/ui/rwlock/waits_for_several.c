//@ run: check --strategy dpor
// Who waits to write waits for all readers, of which one may have come by what another does inside: the writer comes before, between or
// behind both, and the load before or behind the store, but not behind it where the writer is between them the other way round. 4 * 2 - 1.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int x;

static void *looks_first(void *arg)
{
    (void)atomic_load(&x);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *stores_inside(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    atomic_store(&x, 2);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *writes(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, looks_first, NULL);
    pthread_create(&t[1], NULL, stores_inside, NULL);
    pthread_create(&t[2], NULL, writes, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
//~ SAFE executions=7
