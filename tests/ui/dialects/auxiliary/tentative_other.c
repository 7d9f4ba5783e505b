#include <pthread.h>

int shared;
int table[4];
pthread_mutex_t lock;

void *work(void *arg)
{
#ifdef fixed
    pthread_mutex_lock(&lock);
#endif
    shared = 2;
#ifdef fixed
    pthread_mutex_unlock(&lock);
#endif
    table[1] = 0;
    return arg;
}
