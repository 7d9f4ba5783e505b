//@ run: check --memory=sc
//@ revisions: locked unlocked lost
// Old code's spin lock: taken by `xchg`, given back by a plain move. What is done in assembly is what the processor makes of it:
// no data race by itself, but an increment that is not locked may be lost.
//@ tsan-silent: ThreadSanitizer does not see inline assembly
#include <assert.h>
#include <pthread.h>

static volatile int taken;
static int hits, counter;

static void lock(void)
{
    int value;
    do {
        value = 1;
        __asm__ __volatile__("xchgl %0, %1" : "+r"(value), "+m"(taken) : : "memory");
    } while (value);
}

static void unlock(void) { __asm__ __volatile__("movl $0, %0" : "=m"(taken) : : "memory"); }

static void *count(void *arg)
{
#ifndef unlocked
    lock();
#endif
    hits++; //~[unlocked] RACE read/write
    //~^[unlocked] RACE write/write
#ifndef unlocked
    unlock();
#endif
#ifdef lost
    __asm__ __volatile__("incl %0" : "+m"(counter) : : "memory", "cc");
#else
    __asm__ __volatile__("lock; incl %0" : "+m"(counter) : : "memory", "cc");
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    (void)lock, (void)unlock;
    int seen;
    __asm__ __volatile__("movl %1, %0" : "=r"(seen) : "m"(counter) : "memory");
    assert(seen == 2); //~[lost] ASSERTION
    return 0;
}
//~[locked] SAFE
