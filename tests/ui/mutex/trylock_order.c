//@ run: check
//@ revisions: failed locked
// A trylock that fails orders nothing, though it shows that the other thread holds the lock.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *worker(void *arg)
{
    data = 1; //~[failed] RACE@failed write
    pthread_mutex_lock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int got = 0;
    pthread_create(&t, NULL, worker, NULL);
    if (pthread_mutex_trylock(&lock)) {
#ifdef failed
        got = data; //~[failed] RACE@failed read
#endif
        pthread_join(t, NULL);
#ifdef locked
        got = data;
#endif
    }
    return got;
}
//~[locked] SAFE
