//@ run: check --memory sc
//@ revisions: nobody somebody leaves times counts
// One thread's rounds take a lock for a while, another's only try it: whether it gets it or not, it goes on looking; or getting it is all
// that it wants.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t count;
static int ready;

static int looks(void)
{
#ifdef counts
    sem_wait(&count); //~[counts] DEADLOCK
    int now = ready;
    sem_post(&count);
#else
    pthread_mutex_lock(&lock); //~[nobody,times] DEADLOCK
    int now = ready;
    pthread_mutex_unlock(&lock);
#endif
    return now;
}

static int looks_if_it_can(void)
{
#ifdef counts
    if (sem_trywait(&count))
        return 0;
    int now = ready;
    sem_post(&count);
    return now;
#else
#ifdef times
    struct timespec soon = {0, 1};
    if (pthread_mutex_timedlock(&lock, &soon))
        return 0;
#else
    if (pthread_mutex_trylock(&lock))
        return 0;
#endif
    int now = ready;
    pthread_mutex_unlock(&lock);
#ifdef leaves
    return 1;
#else
    return now;
#endif
#endif
}

static void *worker(void *arg)
{
    while (!looks_if_it_can())
        ;
#ifdef leaves
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

static void *sets(void *arg)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread, setter;
    sem_init(&count, 0, 1);
    pthread_create(&thread, 0, worker, 0);
#ifdef somebody
    pthread_create(&setter, 0, sets, 0);
#endif
    while (!looks())
        ;
    pthread_join(thread, 0);
#ifdef somebody
    pthread_join(setter, 0);
#endif
    return 0; //~[somebody,leaves] SAFE
}
