//@ run: check --memory sc
//@ revisions: unbounded none one
//@[none] flags: --preemptions 0
//@[one] flags: --preemptions 1
//@ known-gap: leaving a thread that goes round is a preemption, so that within none the other one never begins, and no run ends
// Both threads go round for good, whoever of them begins. Brute force has the deadlock within no preemptions as well: to leave a
// thread that can only go round should cost nothing.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic int go;
static _Atomic int arrived;

static void *waits(void *arg)
{
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&go) == 0) //~[unbounded,one] DEADLOCK
        ;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waits, NULL);
    pthread_create(&b, NULL, waits, NULL);
    pthread_join(a, NULL); //~[unbounded,one] DEADLOCK
    pthread_join(b, NULL);
    return 0;
}
//~[none] SAFE
