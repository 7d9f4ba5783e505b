//@ run: check
//@ revisions: dangling joined
// A local of main handed to a thread: fine as long as its function waits for that thread.
#include <pthread.h>

static pthread_t t;

static void *worker(void *arg)
{
    *(int *)arg = 1; //~[dangling] USE_AFTER_FREE
    return NULL;
}

static void start(void)
{
    int result = 0;
    pthread_create(&t, NULL, worker, &result);
#ifdef joined
    pthread_join(t, NULL);
#endif
}

int main(void)
{
    start();
#ifdef dangling
    pthread_join(t, NULL);
#endif
    return 0;
}
//~[joined] SAFE executions=1
