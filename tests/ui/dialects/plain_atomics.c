//@ run: check --memory=sc
//@ revisions: atomic plain
// gcc's atomics on plain variables, of both generations.
#include <assert.h>
#include <pthread.h>

static int taken, hits;
static long total;
static char *owner;

static void *count(void *arg)
{
#ifdef atomic
    while (__sync_lock_test_and_set(&taken, 1))
        ;
    hits++;
    __sync_lock_release(&taken);
#endif
    __sync_fetch_and_add(&total, 2);
#ifdef plain
    hits++; //~[plain] RACE read/write
    //~^[plain] RACE write/write
#else
    __atomic_add_fetch(&total, 1, __ATOMIC_SEQ_CST);
#endif
    char *nobody = NULL;
    __atomic_compare_exchange_n(&owner, &nobody, (char *)arg, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __sync_synchronize();
    return NULL;
}

int main(void)
{
    char here;
    (void)taken, (void)hits;
    pthread_t a, b;
    pthread_create(&a, NULL, count, &here);
    pthread_create(&b, NULL, count, &here);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef atomic
    assert(hits == 2 && total == 6);
    assert(__sync_bool_compare_and_swap(&owner, &here, NULL));
#endif
    return 0;
}
//~[atomic] SAFE
