//@ run: check
//@ revisions: ignored checked
// A failed trylock takes nothing. Executions of the twin: one thread is done before the other tries (2), or tries
// while the other holds the lock (2).
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *worker(void *arg)
{
    int failed = pthread_mutex_trylock(&lock);
#ifdef checked
    if (failed)
        return arg;
#endif
    data = 1; //~[ignored] RACE write/write
    if (!failed)
        pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[checked] SAFE executions=4
