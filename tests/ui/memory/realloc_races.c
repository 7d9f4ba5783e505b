//@ run: check
//@ revisions: reader writer joined
// A block that grows while another thread uses it: realloc reads all of it and ends it.
#include <pthread.h>
#include <stdlib.h>

static int *numbers;

static void *use(void *unused)
{
#ifdef writer
    numbers[1] = 7; //~[writer] RACE@copied,ended write
#else
    if (numbers[1] != 5) //~[reader] RACE@ended read
        abort();
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
    //~^^[reader] RACE@ended free
#ifndef joined
    pthread_join(user, NULL);
#endif
    free(more);
}
//~[joined] SAFE
