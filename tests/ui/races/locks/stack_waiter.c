//@ run: races
//@ revisions: leaves waits
//@ flags: --op wait --op wake --memory=sc --globals=initial
//@ tsan-silent: the end of a function is no access that ThreadSanitizer knows of
// A waiter on the stack: it may be left before the waker is done with it.
#include <stdatomic.h>
#include <stddef.h>

struct waiter {
    atomic_int begun, done;
    int seen;
};

static _Atomic(struct waiter *) first;

void wait(void)
{
    struct waiter me = {0, 0, 0};
    atomic_store(&first, &me);
#ifdef leaves
    while (!atomic_load(&me.begun))
        ;
#else
    while (!atomic_load(&me.done))
        ;
#endif
} //~[leaves] RACE@end free

void wake(void)
{
    struct waiter *it = atomic_exchange(&first, NULL);
    if (it) {
        atomic_store(&it->begun, 1);
#ifdef leaves
        it->seen = 1; //~[leaves] RACE@end write
                      //~^[leaves] USE_AFTER_FREE
#else
        it->seen = 1;
        atomic_store(&it->done, 1);
#endif
    }
}
//~[waits] SAFE
