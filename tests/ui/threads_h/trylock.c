//@ run: check
//@ revisions: trusting careful
// mtx_trylock may fail though nobody holds the mutex (C11 7.26.4.5p2).
#include <assert.h>
#include <threads.h>

int main(void)
{
    mtx_t lock;
    mtx_init(&lock, mtx_plain);
    int r = mtx_trylock(&lock);
#ifdef trusting
    assert(r == thrd_success); //~[trusting] ASSERTION
#else
    assert(r == thrd_success || r == thrd_busy);
    if (r == thrd_success)
        mtx_unlock(&lock);
#endif
    return 0;
}
//~[careful] SAFE
