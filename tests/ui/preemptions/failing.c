//@ run: check
//@ revisions: none one
//@[none] flags: --preemptions 0
//@[one] flags: --preemptions 1
// A thread that is about to fail could do so: to delay it, so that another thread sees what it did, is a preemption.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *fails(void *arg)
{
    x = 1;
    assert(arg); //~ ASSERTION
    return arg;
}

static void *sees(void *arg)
{
    assert(x == 0); //~[one] ASSERTION
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, fails, NULL);
    pthread_create(&b, NULL, sees, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
