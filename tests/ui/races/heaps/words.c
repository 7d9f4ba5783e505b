//@ run: races --heaps any
//@ revisions: bound enough brief starts
//@[enough] flags: --array 4
// No string of a caller's within the bounds is one of the program's own that is longer: what happens for that one was left out without a
// word, and the library was called safe.
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int loud;

int set_option(const char *name, int value)
{
#ifdef brief
    if (strcmp(name, "l") == 0) {
        pthread_mutex_lock(&lock);
        loud = value;
        pthread_mutex_unlock(&lock);
    }
    return strcmp("lo", name) == 0;
#elif defined(starts)
    return strncmp(name, "loud", 2) == 0;
#else
    if (strcmp(name, "loud") == 0)
        loud = value; //~[enough] RACE write/write
                      //~^[enough] RACE write
    return 0;
#endif
}

int is_loud(void)
{
    pthread_mutex_lock(&lock);
    int value = loud; //~[enough] RACE read
    pthread_mutex_unlock(&lock);
    return value;
}
//~[bound] INCONCLUSIVE ledger=array_bound
//~[brief,starts] SAFE
