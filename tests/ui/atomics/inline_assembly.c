//@ run: check
//@ revisions: plain locked
//@[plain] tsan-silent: ThreadSanitizer does not see what inline assembly accesses
// x86's locked instructions in inline assembly are atomic operations, and order what they publish.
#include <assert.h>
#include <pthread.h>

static int counter;
static int data;
static volatile int ready;

static inline int fetch_add(volatile int *p, int v)
{
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory"); //~[plain] RACE@a,b read_write
    return v;
}

static inline int exchange(volatile int *p, int v)
{
    __asm__ __volatile__("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
}

static void *worker(void *arg)
{
#ifdef locked
    fetch_add(&counter, 1);
    data = 1;
    exchange(&ready, 1);
#else
    counter = counter + 1; //~[plain] RACE@a read //~[plain] RACE@b write
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    fetch_add(&counter, 1);
#ifdef locked
    if (fetch_add(&ready, 0))
        assert(data == 1);
#endif
    pthread_join(thread, NULL);
#ifdef locked
    assert(counter == 2);
#endif
    return 0;
}
//~[locked] SAFE executions=4
