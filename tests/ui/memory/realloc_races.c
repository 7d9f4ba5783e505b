//@ run: check
//@ revisions: reader writer goes_on joined
// A block that grows while another thread uses it: realloc reads all of it and ends it. A reader that comes first goes on to
// what it does next; one that comes second does not.
#include <pthread.h>
#include <stdlib.h>

static int *numbers;
static int seen;

static void *use(void *unused)
{
#ifdef writer
    numbers[1] = 7; //~[writer] RACE@copied,ended write
#else
    if (numbers[1] != 5) //~[reader,goes_on] RACE@ended read
        abort();
#ifdef goes_on
    seen = 1; //~[goes_on] RACE@seen write
#endif
#endif
    return unused;
}

int main(void)
{
    numbers = malloc(2 * sizeof *numbers);
    numbers[0] = numbers[1] = 5;
    int *old = numbers;
    pthread_t user;
    pthread_create(&user, NULL, use, NULL);
#ifdef joined
    pthread_join(user, NULL);
#endif
    int *more = realloc(old, 4 * sizeof *more); //~[writer] RACE@copied read
    //~^[writer] RACE@ended free
    //~^^[reader,goes_on] RACE@ended free
    int late = seen; //~[goes_on] RACE@seen read
#ifndef joined
    pthread_join(user, NULL);
#endif
    free(more);
    return late;
}
//~[joined] SAFE
