//@ run: check
//@ revisions: variable own_of_thread other_kind live
// The address of a variable that has ended may be that of another one.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static uintptr_t old;
static _Thread_local int own;

static void look(void)
{
    volatile int local = 0;
    assert(old != (uintptr_t)&local);
    old = (uintptr_t)&local;
}

static void *runs(void *arg)
{
    assert(old != (uintptr_t)&own);
    old = (uintptr_t)&own;
    return arg;
}

int main(void)
{
    (void)look, (void)runs;
#if defined variable
    look();
    look();
#elif defined own_of_thread
    pthread_t a;
    for (int i = 0; i < 2; i++) {
        pthread_create(&a, NULL, runs, NULL);
        pthread_join(a, NULL);
    }
#elif defined other_kind
    static int lives;
    look();
    assert(old != (uintptr_t)&lives);
#else
    int one = 0, other = 0;
    old = (uintptr_t)&one;
    assert(old != (uintptr_t)&other);
#endif
    return 0;
}
//~[variable,own_of_thread] INCONCLUSIVE ledger=dangling_comparison
//~[other_kind,live] SAFE
