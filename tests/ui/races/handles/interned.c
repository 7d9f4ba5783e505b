//@ run: races
//@ revisions: bare locked default
//@[bare] flags: --heaps reached
//@[locked] flags: --heaps reached
// A constant string that the library knows again.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *one;
static int hits;

const char *intern(void)
{
    pthread_mutex_lock(&lock);
    if (!one)
        one = calloc(4, 1);
    char *result = one;
    pthread_mutex_unlock(&lock);
    return result;
}

int use(const char *s)
{
    pthread_mutex_lock(&lock);
    int is_known = one && s == one;
#ifdef locked
    int count = is_known ? ++hits : 0;
    pthread_mutex_unlock(&lock);
    return count;
#else
    pthread_mutex_unlock(&lock);
    return is_known ? ++hits : 0; //~[bare,default] RACE
#endif
}
//~[locked] SAFE
