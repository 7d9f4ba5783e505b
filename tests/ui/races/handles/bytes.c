//@ run: races
//@ revisions: bare locked default
//@[bare] flags: --heaps reached
//@[locked] flags: --heaps reached
// A buffer of characters that a call returns is passed on, and no byte of the client's own does what it does. Characters are bytes,
// whatever their sign.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

char *buffer_new(void)
{
    char *b = calloc(8, 1);
    if (b)
        b[0] = 'M';
    return b;
}

int buffer_count(unsigned char *b)
{
    if (b[0] != 'M')
        return -1;
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    int count = ++b[5]; //~[bare,default] RACE
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    return count;
}
//~[locked] SAFE
