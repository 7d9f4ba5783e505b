//@ run: check --memory sc
//@ revisions: unbounded none one stops
//@[none] flags: --preemptions 0
//@[one] flags: --preemptions 1
//@[stops] flags: --preemptions 0
// Both threads go round for good, whoever of them begins. To leave a thread that only goes round is no preemption, so that the
// other one begins also within none.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic int go;
static _Atomic int arrived;

static void *waits(void *arg)
{
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&go) == 0) //~[unbounded,none,one] DEADLOCK
        ;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waits, NULL);
    pthread_create(&b, NULL, waits, NULL);
#ifdef stops
    atomic_store(&go, 1);
#endif
    pthread_join(a, NULL); //~[unbounded,none,one] DEADLOCK
    pthread_join(b, NULL);
    return 0;
}
//~[stops] SAFE
