//@ run: check --memory sc
//@ known-gap: one thread's rounds take a lock that another's only try, and neither outcome leads out: nothing is said
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static int looks(void)
{
    pthread_mutex_lock(&lock);
    int now = ready;
    pthread_mutex_unlock(&lock);
    return now;
}

static int looks_if_it_can(void)
{
    if (pthread_mutex_trylock(&lock))
        return 0;
    int now = ready;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *worker(void *arg)
{
    while (!looks_if_it_can())
        ;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    while (!looks())
        ;
    pthread_join(thread, 0);
    return 0; //~ SAFE
}
