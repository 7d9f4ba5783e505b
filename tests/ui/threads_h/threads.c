//@ run: check
//@ revisions: bare locked
// thrd_create, thrd_join with a result, thrd_current and thrd_equal; mtx_t as the lock.
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int hits;
static thrd_t parent;

static int worker(void *arg)
{
    (void)arg;
    assert(!thrd_equal(thrd_current(), parent));
#ifdef locked
    mtx_lock(&lock);
#endif
    hits++; //~[bare] RACE read/write //~[bare] RACE write/write
#ifdef locked
    mtx_unlock(&lock);
#endif
    thrd_yield();
    return 5;
}

int main(void)
{
    thrd_t a, b;
    int ra = 0, rb = 0;
    parent = thrd_current();
    assert(mtx_init(&lock, mtx_plain) == thrd_success);
    assert(thrd_create(&a, worker, NULL) == thrd_success);
    assert(thrd_create(&b, worker, NULL) == thrd_success);
    thrd_join(a, &ra);
    thrd_join(b, &rb);
    assert(ra == 5 && rb == 5);
#ifdef locked
    assert(hits == 2);
#endif
    mtx_destroy(&lock);
    return 0;
}
//~[locked] SAFE executions=2
