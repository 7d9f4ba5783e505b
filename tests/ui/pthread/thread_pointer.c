//@ run: check
//@ revisions: own others
// Each thread has a pointer of its own, as `pthread_self` has it: allocators tell by it whose blocks are whose.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void *owner;
static int count;

static void *work(void *arg)
{
    (void)arg;
    assert((pthread_t)__builtin_thread_pointer() == pthread_self());
#ifdef own
    if (__builtin_thread_pointer() == owner)
#else
    if (__builtin_thread_pointer() != owner)
#endif
        count++; //~[others] RACE write/write //~[others] RACE write/read
    return 0;
}

int main(void)
{
    pthread_t a, b;
    owner = __builtin_thread_pointer();
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
//~[own] SAFE
