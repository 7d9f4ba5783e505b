//@ run: check
//@ revisions: unjoined joined
// A thread that creates a thread: the order reaches main only if each joins its own.
#include <pthread.h>

static int leaf;

static void *grandchild(void *arg)
{
    leaf = 1; //~[unjoined] RACE@leaf write
    return arg;
}

static void *child(void *arg)
{
    pthread_t t;
    pthread_create(&t, NULL, grandchild, NULL);
#ifdef joined
    pthread_join(t, NULL);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    pthread_join(t, NULL);
    return leaf; //~[unjoined] RACE@leaf read
}
//~[joined] SAFE executions=1
