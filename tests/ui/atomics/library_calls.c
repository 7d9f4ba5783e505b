//@ run: check
//@ revisions: plain atomic
// Atomic objects of a size that no instruction has: the calls that clang makes are atomic operations on all their bytes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    int a, b, c;
};

static _Atomic struct triple shared;

static void *worker(void *arg)
{
    struct triple now = {1, 1, 1};
#ifdef plain
    *(struct triple *)&shared = now; //~[plain] RACE write
#else
    atomic_store(&shared, now);
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    struct triple seen = atomic_load(&shared); //~[plain] RACE read
    assert(seen.a == seen.b && seen.b == seen.c);
    pthread_join(thread, NULL);
    return 0;
}
//~[atomic] SAFE executions=2
