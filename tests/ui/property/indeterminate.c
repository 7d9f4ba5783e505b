//@ run: check
//@ revisions: asked race locked
//@[race,locked] flags: --property data-race
// A use of an uninitialised value is the end where it is asked about; where only races are, what follows it is explored.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
    int first, second;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair *shared;

static void *sets(void *arg)
{
    pthread_mutex_lock(&lock);
    shared->second = 8; //~[race] RACE@read write
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    pthread_create(&thread, NULL, sets, NULL);
    printf("%d\n", shared->first); //~[asked] UNINITIALIZED_READ
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    printf("%d\n", shared->second); //~[race] RACE@read read
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(thread, NULL);
    return 0;
}
//~[locked] SAFE
