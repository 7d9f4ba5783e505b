//@ run: check
//@ revisions: wrong right
// Two readers hold the lock at once; a writer never beside another.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock;
static atomic_int inside;

static void *user(void *arg)
{
    if (arg)
        pthread_rwlock_wrlock(&lock);
    else
        pthread_rwlock_rdlock(&lock);
    int others = atomic_fetch_add(&inside, 1);
#ifdef wrong
    assert(others == 0); //~[wrong] ASSERTION
#else
    assert(others == 0 || !arg);
#endif
    atomic_fetch_sub(&inside, 1);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int write;
    pthread_rwlock_init(&lock, NULL);
    pthread_create(&t[0], NULL, user, NULL);
    pthread_create(&t[1], NULL, user, &write);
    user(NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_rwlock_destroy(&lock);
    return 0;
}
//~[right] SAFE
