//@ run: check
//@ revisions: signal broadcast
// One signal wakes one of two waiters: the other waits forever. A broadcast wakes both.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open_gate;

static void *visitor(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!open_gate)
        pthread_cond_wait(&opened, &lock); //~[signal] DEADLOCK
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, visitor, NULL);
    pthread_create(&b, NULL, visitor, NULL);
    pthread_mutex_lock(&lock);
    open_gate = 1;
#ifdef broadcast
    pthread_cond_broadcast(&opened);
#else
    pthread_cond_signal(&opened);
#endif
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[broadcast] SAFE
