//@ run: check
//@ revisions: told silent kept
// A waiter that is told again and again, and waits again each time, is not stuck; also if another thread has the lock when it is told, which
// gives it back. Nobody tells it in one twin; in the other, the lock is never given back.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, turns = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int ready;

static void *teller(void *arg)
{
#ifndef silent
    for (;;)
        pthread_cond_signal(&news);
#endif
    return arg;
}

static void *worker(void *arg)
{
#ifdef kept
    pthread_mutex_lock(&lock);
    for (;;) {
        pthread_mutex_lock(&turns); //~[kept] DEADLOCK
        pthread_mutex_unlock(&turns);
    }
#endif
    for (;;) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *waiter(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&news, &lock); //~[silent,kept] DEADLOCK
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, teller, NULL);
    pthread_create(&threads[1], NULL, worker, NULL);
    pthread_create(&threads[2], NULL, waiter, NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
//~[told] SAFE
