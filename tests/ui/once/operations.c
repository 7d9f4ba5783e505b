//@ run: races
//@ revisions: peeks asks
//@ flags: --op get --op peek
// What a once routine writes, against a reader that does not ask for it first.
#include <pthread.h>

static int made;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
    made = 1; //~[peeks] RACE@made write
}

int get(void)
{
    pthread_once(&once, make);
    return made;
}

int peek(void)
{
#ifdef asks
    pthread_once(&once, make);
#endif
    return made; //~[peeks] RACE@made read
}
//~[asks] SAFE
