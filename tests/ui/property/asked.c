//@ run: check
//@ revisions: all race assertion deadlock memory
//@[race] flags: --property data-race
//@[assertion] flags: --property assertion
//@[deadlock] flags: --property deadlock
//@[memory] flags: --property memory
// What was not asked for is found, and does not count; a race with the end of an object is one of memory.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int counter;
static int *shared;

static void *runs(void *arg)
{
    int seen = counter;   //~[all,race] RACE@counter read
    counter = seen + 1;   //~[all,race] RACE@other write
    shared[0] = 1;        //~[all,race,memory] RACE@freed write
    return arg;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    pthread_create(&thread, NULL, runs, NULL);
    counter = 5; //~[all,race] RACE@counter,other write
    free(shared); //~[all,race,memory] RACE@freed free
    pthread_join(thread, NULL);
    assert(counter == 5); //~[all,assertion] ASSERTION
    return 0;
}
//~[deadlock] SAFE
