//@ run: check
//@ revisions: apart together
// A weak exchange in a loop counts right, whether it fails for no reason or not; what is read and written back apart does
// not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int tickets, served;

static void *serve(void *arg)
{
    int next = atomic_load(&tickets);
    while (!atomic_compare_exchange_weak(&tickets, &next, next + 1))
        ;
#ifdef together
    atomic_fetch_add(&served, 1);
#else
    int before = atomic_load(&served);
    atomic_store(&served, before + 1);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, serve, NULL);
    pthread_create(&b, NULL, serve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(atomic_load(&tickets) == 2);
    assert(atomic_load(&served) == 2); //~[apart] ASSERTION
    return 0;
}
//~[together] SAFE
