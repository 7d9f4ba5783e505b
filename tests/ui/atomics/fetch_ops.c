//@ run: check
//@ revisions: wrong right
// Every read-modify-write of stdatomic.h, each with its old value; then two threads with two of them.
// Two operations on one object: two executions.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint word;

static void *worker(void *arg)
{
    atomic_fetch_or(&word, 4);
    return arg;
}

int main(void)
{
    atomic_int i;
    atomic_init(&i, 10);
    assert(atomic_fetch_add(&i, 5) == 10);
    assert(atomic_fetch_sub(&i, 1) == 15);
    assert(atomic_fetch_and(&i, 12) == 14);
    assert(atomic_fetch_or(&i, 3) == 12);
    assert(atomic_fetch_xor(&i, 1) == 15);
    assert(atomic_exchange(&i, 6) == 14);
    assert(atomic_load(&i) == 6);

    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    unsigned old = atomic_fetch_add(&word, 1);
#ifdef wrong
    assert(old == 0); //~[wrong] ASSERTION
#else
    assert(old == 0 || old == 4);
#endif
    pthread_join(t, NULL);
    assert(atomic_load(&word) == 5);
    return 0;
}
//~[right] SAFE executions=2
