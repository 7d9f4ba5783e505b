//@ run: check
//@ revisions: kept given awaited alone
// A server goes on for ever, and waits for nothing: who waits for its end is no deadlock. Who waits beside it for a lock of a thread that has
// ended, or for a signal that nobody gives, is one.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, turns = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int turn, ready;

static void *keeper(void *arg)
{
    pthread_mutex_lock(&lock);
#ifdef given
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

static void *waiter(void *arg)
{
#ifdef awaited
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&told, &lock); //~[awaited] DEADLOCK
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_lock(&lock); //~[kept] DEADLOCK
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

static void *server(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&turns);
        turn = !turn;
        pthread_mutex_unlock(&turns);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[3];
#if defined kept || defined given
    pthread_create(&threads[0], NULL, keeper, NULL);
#endif
#ifndef alone
    pthread_create(&threads[1], NULL, waiter, NULL);
#endif
    pthread_create(&threads[2], NULL, server, NULL);
    pthread_join(threads[2], NULL);
    return 0;
}
//~[given] SAFE
//~[alone] SAFE
