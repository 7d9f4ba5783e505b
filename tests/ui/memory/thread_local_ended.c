//@ run: check
//@ revisions: ended alive
// A thread-local variable ends with its thread.
#include <pthread.h>
#include <stddef.h>

static _Thread_local int x = 5;
static int *published;

static void *worker(void *arg)
{
#ifdef ended
    published = &x;
#else
    published = arg;
#endif
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, &x);
    pthread_join(t, NULL);
    return *published; //~[ended] USE_AFTER_FREE
}
//~[alive] SAFE executions=1
