//@ run: check
//@ revisions: trusting careful
// A join that does not wait orders something only if it says that the thread has ended. Executions of the twin: before or
// after the thread's critical section; then it has ended, or takes a moment longer.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    data = 1; //~[trusting] RACE@data write
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int got = 0;
    pthread_create(&t, NULL, worker, NULL);
#ifdef trusting
    pthread_tryjoin_np(t, NULL);
    got = data; //~[trusting] RACE@data read
#else
    if (pthread_tryjoin_np(t, NULL) == 0)
        got = data;
    else
        pthread_join(t, NULL);
#endif
    return got == 2;
}
//~[careful] SAFE executions=4
