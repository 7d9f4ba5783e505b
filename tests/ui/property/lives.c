//@ run: check
//@ revisions: local block once
//@ flags: --property data-race
// Uninitialised variables hold some value until they are set, but the next variable in the same place another one.
#include <pthread.h>
#include <stdlib.h>

static int shared;

static int holds_zero(void)
{
#ifdef block
    int *space = malloc(sizeof *space);
    int is_zero = *space == 0;
    free(space);
    return is_zero;
#else
    int space;
    return space == 0;
#endif
}

static void *sets(void *arg)
{
    shared = 1; //~[local,block] RACE@other write
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    int first = holds_zero();
#ifdef once
    int second = first;
#else
    int second = holds_zero();
#endif
    if (first && !second)
        shared = 2; //~[local,block] RACE@other write
    pthread_join(thread, NULL);
    return 0;
}
//~[once] SAFE
