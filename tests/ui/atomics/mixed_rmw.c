//@ run: check
// An atomic read-modify-write is one access of its own kind.
#include <pthread.h>

static int shared;

static void *worker(void *arg)
{
    __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST); //~ RACE@rmw read_write
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int got = shared; //~ RACE@rmw read
    pthread_join(t, NULL);
    return got;
}
