//@ run: check
//@ revisions: both_write one_writes
// Both threads end in an endless loop. What they did before counts.
#include <pthread.h>

static int shared, other;

static void *second(void *arg)
{
#ifdef both_write
    shared = 2; //~[both_write] RACE@shared write
#else
    other = 2;
#endif
    for (;;)
        ;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, second, NULL);
    shared = 1; //~[both_write] RACE@shared write
    for (;;)
        ;
}
//~[one_writes] SAFE executions=1
