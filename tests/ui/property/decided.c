//@ run: check
//@ revisions: states counted kept
//@ flags: --property data-race
//@[states,kept] flags: --strategy states
//@[counted] flags: --no-cutoffs
// What was decided by an uninitialised variable in memory stays so, also where the ways meet again meanwhile: both outcomes come up later.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int set, unset, seen;

static int look(const int *at)
{
    return *at != 0;
}

static void *sets(void *arg)
{
    set = 1;   //~[states,counted] RACE@set write
    unset = 1; //~[states,counted] RACE@unset write
    return arg;
}

int main(void)
{
    pthread_t thread;
    int space;
    pthread_create(&thread, 0, sets, 0);
    if (look(&space))
        seen = 1;
    seen = 0;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#ifdef kept
    pthread_join(thread, 0);
#endif
    if (look(&space))
        set = 2; //~[states,counted] RACE@set write
    else
        unset = 2; //~[states,counted] RACE@unset write
#ifndef kept
    pthread_join(thread, 0);
#endif
    return seen;
}
//~[kept] SAFE
