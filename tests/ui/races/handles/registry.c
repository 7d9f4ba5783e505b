//@ run: races
//@ revisions: bare locked default
//@[bare] flags: --heaps reached
//@[locked] flags: --heaps reached
// A library that knows the handles that it has given takes no others.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *known;

void *handle_new(void)
{
    int *p = calloc(1, sizeof *p);
    pthread_mutex_lock(&lock);
    known = p;
    pthread_mutex_unlock(&lock);
    return p;
}

int handle_count(void *handle)
{
    pthread_mutex_lock(&lock);
    int is_known = handle == known;
#ifdef locked
    int value = is_known ? ++*(int *)handle : -1;
    pthread_mutex_unlock(&lock);
    return value;
#else
    pthread_mutex_unlock(&lock);
    if (!is_known)
        return -1;
    return ++*(int *)handle; //~[bare,default] RACE
#endif
}
//~[locked] SAFE
