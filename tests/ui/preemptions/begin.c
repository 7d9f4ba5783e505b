//@ run: check
//@ revisions: none one joined
//@[none,joined] flags: --preemptions 0
//@[one] flags: --preemptions 1
// A thread that main does not wait for begins before the end of the process only if main is preempted.
#include <assert.h>
#include <pthread.h>

static void *worker(void *arg)
{
    assert(arg); //~[one,joined] ASSERTION
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
#ifdef joined
    pthread_join(t, NULL);
#endif
    return 0;
}
//~[none] SAFE executions=1
