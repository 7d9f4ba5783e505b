//@ run: check
//@ revisions: unordered joined
// A free that nothing orders with a use is one data race, and not also a use after free.
#include <pthread.h>
#include <stdlib.h>

static int *shared;

static void *reader(void *arg)
{
    int got = *shared; //~[unordered] RACE@free read
    (void)got;
    return arg;
}

int main(void)
{
    pthread_t t;
    shared = calloc(1, sizeof *shared);
    pthread_create(&t, NULL, reader, NULL);
#ifdef joined
    pthread_join(t, NULL);
#endif
    free(shared); //~[unordered] RACE@free free
#ifdef unordered
    pthread_join(t, NULL);
#endif
    return 0;
}
//~[joined] SAFE executions=1
