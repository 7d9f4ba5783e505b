//@ run: check --memory=sc
//@ revisions: broken continued
//@[broken] tsan-silent: to ThreadSanitizer a relaxed store of another thread does not end a release sequence
// A relaxed read-modify-write continues the release sequence (C11 5.1.2.4p10): who acquires its value synchronises with
// the release store before it. A relaxed store by another thread ends the sequence.
// Three operations on one object in the twin: six orders.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int stage;

static void *first(void *arg)
{
    data = 1; //~[broken] RACE@data write
    atomic_store_explicit(&stage, 1, memory_order_release);
    return arg;
}

static void *second(void *arg)
{
#ifdef continued
    atomic_fetch_add_explicit(&stage, 2, memory_order_relaxed);
#else
    if (atomic_load_explicit(&stage, memory_order_relaxed) == 1)
        atomic_store_explicit(&stage, 3, memory_order_relaxed);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    int got = 0;
    if (atomic_load_explicit(&stage, memory_order_acquire) == 3)
        got = data; //~[broken] RACE@data read
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return got;
}
//~[continued] SAFE executions=6
