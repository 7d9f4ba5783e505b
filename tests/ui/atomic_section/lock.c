//@ run: check --memory=sc
//@ revisions: broken right
// A lock of SV-COMP's style: an atomic section that assumes the lock to be free. An execution in which it is not, does not
// exist. What the lock guards is ordered by the sections.
#include <pthread.h>

void __VERIFIER_assume(int);
static int locked, data;

static void __VERIFIER_atomic_acquire(void)
{
#ifdef right
    __VERIFIER_assume(locked == 0);
#endif
    locked = 1;
}

static void __VERIFIER_atomic_release(void)
{
    locked = 0;
}

static void *worker(void *arg)
{
    __VERIFIER_atomic_acquire();
    data++; //~[broken] RACE read/write //~[broken] RACE write/write
    __VERIFIER_atomic_release();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[right] SAFE executions=2
