//@ run: check
//@ revisions: two one
// A semaphore of two lets both in; one of one is a lock. Executions of the twin: the orders of two critical sections.
#include <pthread.h>
#include <semaphore.h>

#ifdef two
#define PLACES 2
#else
#define PLACES 1
#endif

static sem_t places;
static int hits;

static void *worker(void *arg)
{
    sem_wait(&places);
    hits++; //~[two] RACE read/write //~[two] RACE write/write
    sem_post(&places);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&places, 0, PLACES);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_destroy(&places);
    return 0;
}
//~[one] SAFE executions=2
