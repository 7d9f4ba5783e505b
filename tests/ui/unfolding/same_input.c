//@ run: check
//@ revisions: visited dpor unfolding cut
//@[dpor] flags: --strategy dpor
//@[unfolding] flags: --strategy unfolding --no-cutoffs
//@[cut] flags: --strategy unfolding
// Two threads look at one input: what the one decides settles what the other does, and is a choice of each all the same. Main leaves
// the process without waiting for the other.
#include <assert.h>
#include <pthread.h>

void raddle_symbolic(void *at, unsigned long size, const char *name);

static int x;
static _Atomic int flag;

static void *sets(void *arg)
{
    if (x < 0)
        flag = 1;
    else
        flag = 2;
    return arg;
}

static void *looks(void *arg)
{
    if (x < 0) {
        int seen = flag;
        assert(seen != 2);
        assert(seen != 1); //~ ASSERTION
    }
    return arg;
}

int main(void)
{
    raddle_symbolic(&x, sizeof x, "x");
    pthread_t threads[2];
    pthread_create(&threads[0], 0, sets, 0);
    pthread_create(&threads[1], 0, looks, 0);
    pthread_join(threads[0], 0);
    return 0;
}
