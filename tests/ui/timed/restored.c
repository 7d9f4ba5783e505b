//@ run: check
//@ revisions: lost sent counted
// A thread waits with a time limit, again and again, and takes back what it writes for each wait. Nobody else goes on who
// could see it: where its partner waits for a signal that was never sent, both wait for ever.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int waiters, result, given;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
#ifdef counted
    /* It looks at what the other takes back. */
    while (!waiters)
        pthread_cond_wait(&work, &lock);
#else
    while (!given)
        pthread_cond_wait(&work, &lock); //~[lost] DEADLOCK
#endif
    result = 1;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    struct timespec limit = {2000000000, 0};
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
#ifdef sent
    given = 1;
    pthread_cond_signal(&work);
#endif
    while (!result) {
        waiters++;
#ifdef counted
        pthread_cond_signal(&work);
#endif
        pthread_cond_timedwait(&done, &lock, &limit);
        waiters--;
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
//~[sent,counted] SAFE
