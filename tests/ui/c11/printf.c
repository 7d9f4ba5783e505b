//@ run: check
//@ revisions: bare locked
// A call of the library with variable arguments reads them like any expression.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int progress;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    progress = 1; //~[bare] RACE@progress write
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    int seen = progress; //~[bare] RACE@progress read
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    printf("progress: %d of %s\n", seen, "all");
    pthread_join(t, NULL);
    return 0;
}
//~[locked] SAFE
