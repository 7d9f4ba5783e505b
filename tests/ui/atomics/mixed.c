//@ run: check
//@ revisions: plain atomic
// An atomic and a plain access to one object conflict if either writes: one atomic side is not enough.
#include <pthread.h>

static int shared;

static void *worker(void *arg)
{
    __atomic_store_n(&shared, 1, __ATOMIC_SEQ_CST); //~[plain] RACE@mixed write
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
#ifdef atomic
    int got = __atomic_load_n(&shared, __ATOMIC_SEQ_CST);
#else
    int got = shared; //~[plain] RACE@mixed read
#endif
    pthread_join(t, NULL);
    return got;
}
//~[atomic] SAFE executions=2
