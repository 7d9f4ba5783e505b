//@ run: check
//@ revisions: together apart
// What drand48 and its like work on is behind no lock.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *draws(void *arg)
{
#ifdef apart
    pthread_mutex_lock(&m);
#endif
    (void)lrand48(); //~[together] RACE write/write
#ifdef apart
    pthread_mutex_unlock(&m);
#endif
    return arg;
}

int main(void)
{
    (void)m;
    srand48(7);
    pthread_t a, b;
    pthread_create(&a, NULL, draws, NULL);
    pthread_create(&b, NULL, draws, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[apart] SAFE
