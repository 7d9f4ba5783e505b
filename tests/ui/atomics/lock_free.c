//@ run: check
//@ revisions: wrong right
// Atomics of every size, an atomic struct member and an atomic boolean; operators on _Atomic types are atomic.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static struct {
    _Atomic uint8_t b;
    _Atomic uint16_t h;
    _Atomic uint64_t d;
    atomic_bool on;
} s;

static void *worker(void *arg)
{
    s.b += 200;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    s.b += 100;
    s.h--;
    s.d |= UINT64_C(1) << 40;
    s.on = true;
    pthread_join(t, NULL);
    assert(s.h == 65535 && s.d == UINT64_C(1) << 40 && s.on);
#ifdef wrong
    assert(s.b == 300); //~[wrong] ASSERTION
#else
    assert(s.b == 44);
#endif
    return 0;
}
//~[right] SAFE executions=2
