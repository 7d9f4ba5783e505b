//@ run: check
//@ revisions: told untold used
// A wait that counts its rounds comes to an end as one that does not, where nothing depends on the count.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, seen;

static void *tell(void *unused)
{
#if !defined(untold)
    atomic_store(&flag, 1);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    int rounds = 0;
    pthread_create(&thread, NULL, tell, NULL);
    while (atomic_load(&flag) == 0) //~[untold] DEADLOCK
        rounds++;
#if defined(used)
    atomic_store(&seen, rounds);
#endif
    pthread_join(thread, NULL);
    return 0;
}
//~[told] SAFE
//~[used] INCONCLUSIVE ledger=loop_bound
