//@ run: races
//@ revisions: bare locked default
//@[bare] flags: --heaps reached
//@[locked] flags: --heaps reached
// An array of numbers that a call returns is passed on: it is longer than what clients have of their own.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int *vector_new(void)
{
    int *v = calloc(8, sizeof *v);
    if (v)
        v[0] = 6;
    return v;
}

int vector_count(int *v)
{
    if (v[0] != 6)
        return -1;
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    int count = ++v[6]; //~[bare,default] RACE
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    return count;
}
//~[locked] SAFE
