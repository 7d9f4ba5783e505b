//@ run: check
//@ revisions: none one
//@[none] flags: --preemptions 0
//@[one] flags: --preemptions 1
// Without a preemption main always fails before the other thread begins: no race, but a failure. Its replay, in which
// threads do what is invisible at once, must not let the write come first.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *writer(void *arg)
{
    x = 1; //~[one] RACE@x write
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    int seen = x; //~[one] RACE@x read
    assert(seen == 1); //~ ASSERTION
    pthread_join(t, NULL);
    return 0;
}
