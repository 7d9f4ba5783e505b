//@ run: check
//@ revisions: both_write one_writes
// Both threads end in an endless loop, in which nobody ever does anything again: a deadlock. What they did before counts.
#include <pthread.h>

static int shared, other;

static void *second(void *arg)
{
#ifdef both_write
    shared = 2; //~[both_write] RACE@shared write
#else
    other = 2;
#endif
    for (;;) //~ DEADLOCK
        ;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, second, NULL);
    shared = 1; //~[both_write] RACE@shared write
    for (;;) //~ DEADLOCK
        ;
}
//~[one_writes] FINDINGS executions=1
//~[both_write] FINDINGS executions=2
