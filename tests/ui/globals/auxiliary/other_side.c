// Accompanies two_files.c, which names line 14.
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;

void *other_side(void *arg)
{
#ifdef locked
    pthread_mutex_lock(&lock);
#endif


    shared = 2;
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}
