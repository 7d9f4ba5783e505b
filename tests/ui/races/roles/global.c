//@ run: races
// A lock that is a global has a constructor and a destructor as well.
#include <pthread.h>

static pthread_mutex_t lock;
static int hits;

void module_init(void)
{
    pthread_mutex_init(&lock, NULL);
    hits = 0;
}

void module_exit(void)
{
    pthread_mutex_destroy(&lock);
}

void hit(void)
{
    pthread_mutex_lock(&lock);
    hits++;
    pthread_mutex_unlock(&lock);
}
//~ SAFE
//~ PAIR module_init module_exit exclusive
//~ PAIR module_init hit exclusive
//~ PAIR module_exit hit exclusive
//~ PAIR hit hit safe
