//@ run: check
//@ revisions: faulty fixed
// Threads that nobody joins go on while destructors run.
#include <pthread.h>

static int statistics;

static void *worker(void *arg)
{
    statistics++; //~[faulty] RACE@rw read //~[faulty] RACE@ww write
    return arg;
}

__attribute__((destructor)) static void report(void)
{
    statistics = 0; //~[faulty] RACE@rw,ww write
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
#ifdef fixed
    pthread_join(thread, NULL);
#endif
    return 0;
}
//~[fixed] SAFE executions=1
