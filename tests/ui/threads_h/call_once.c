//@ run: check
//@ revisions: wrong right
// call_once runs its function one time, and before either call returns.
#include <assert.h>
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static int runs;

static void set_up(void)
{
    runs++;
}

static int worker(void *arg)
{
    (void)arg;
    call_once(&flag, set_up);
#ifdef wrong
    assert(runs == 2); //~[wrong] ASSERTION
#else
    assert(runs == 1);
#endif
    return 0;
}

int main(void)
{
    thrd_t t;
    thrd_create(&t, worker, NULL);
    worker(NULL);
    thrd_join(t, NULL);
    return 0;
}
//~[right] SAFE
