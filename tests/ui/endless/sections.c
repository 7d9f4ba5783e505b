//@ run: check
//@ revisions: idle ordered outside known
// Atomic sections for ever: a thread that does nothing else waits for nobody; they are ordered among each other, but an atomic number
// tells of what stands in one without an order.
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int data, beside;
static atomic_int flag;

static void *writes(void *arg)
{
    for (;;) {
#ifdef known
        beside = 1; //~[known] RACE@beside write
#endif
        __VERIFIER_atomic_begin();
#ifndef idle
        data = (data + 1) % 3; //~[outside] RACE@read write
        flag = data;
#endif
        __VERIFIER_atomic_end();
    }
    return arg;
}

static void *reads(void *arg)
{
    int last = 0;
    for (;;) {
#ifdef outside
        if (flag == 2)
            last = data; //~[outside] RACE@read read
#elif defined known
        if (flag == 2)
            last = beside; //~[known] RACE@beside read
#else
        __VERIFIER_atomic_begin();
        last = data;
        __VERIFIER_atomic_end();
#endif
    }
    return last ? arg : 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writes, 0);
    pthread_create(&threads[1], 0, reads, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
//~[idle,ordered] SAFE
