//@ run: races --max-time 60
// With a time limit, what synchronises is looked at first; findings stand in the matrix with the operations that they are of.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;
static int names;

int named(void)
{
    return names;
}

void hit(void)
{
    pthread_mutex_lock(&lock);
    hits++; //~ RACE@hits write
    pthread_mutex_unlock(&lock);
}

int bare(void)
{
    return hits; //~ RACE@hits read
}
//~ PAIR named named safe
//~ PAIR named hit safe
//~ PAIR named bare safe
//~ PAIR hit hit safe
//~ PAIR hit bare findings
//~ PAIR bare bare safe
