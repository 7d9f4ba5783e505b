//@ run: check
//@ revisions: shared own
// A variable of thread storage duration is one object per thread, initialised for each.
#include <assert.h>
#include <pthread.h>

#ifdef own
static _Thread_local int hits = 40;
#else
static int hits = 40;
#endif

static void *worker(void *arg)
{
    hits += 2; //~[shared] RACE read/write //~[shared] RACE write/write
#ifdef own
    assert(hits == 42);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef own
    assert(hits == 40);
#endif
    return 0;
}
//~[own] SAFE executions=1
