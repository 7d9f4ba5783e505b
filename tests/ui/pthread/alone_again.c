//@ run: check
//@ revisions: ordered second detached chain
// Between two phases of threads the program is alone: what came before races with nothing, what comes after may. A thread
// that nobody joined is not past, even when it has ended.
#include <pthread.h>

static int x, y;
static pthread_t inner;

static void *write_x(void *arg)
{
    x = 1; //~[second] RACE@late write //~[detached] RACE@early write //~[detached] RACE write/write //~[detached] RACE@read write
    return arg;
}

static void *start_another(void *arg)
{
    pthread_create(&inner, 0, write_x, 0);
#ifdef detached
    pthread_detach(inner);
#else
    pthread_join(inner, 0);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, start_another, 0);
    pthread_join(t, 0);
    x = 2; //~[detached] RACE@early write
    for (int i = 0; i < 1000; i++)
        y ^= i;
    pthread_create(&t, 0, write_x, 0);
#ifdef second
    x = 7; //~[second] RACE@late write
#endif
    pthread_join(t, 0);
    return x + y == 0; //~[detached] RACE@read read
}
//~[ordered] SAFE executions=1
//~[chain] SAFE executions=1
