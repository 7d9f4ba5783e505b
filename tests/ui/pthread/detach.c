//@ run: check
//@ revisions: bare locked
// A detached thread is never joined: only the lock orders it with main.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_lines;

static void *logger(void *arg)
{
    pthread_detach(pthread_self());
    pthread_mutex_lock(&lock);
    log_lines = 1; //~[bare] RACE@log write
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, logger, NULL);
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    int seen = log_lines; //~[bare] RACE@log read
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    return seen;
}
//~[locked] SAFE
