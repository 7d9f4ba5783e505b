//@ run: check
//@ revisions: local fixed
// pthread_exit in main ends its stack while the worker goes on: a pointer into it dangles. What is static lives on.
#include <pthread.h>

#ifdef fixed
static int value = 3;
#endif
static int copy;

static void *worker(void *arg)
{
    copy = *(int *)arg; //~[local] USE_AFTER_FREE
    return NULL;
}

int main(void)
{
    pthread_t t;
#ifndef fixed
    int value = 3;
#endif
    pthread_create(&t, NULL, worker, &value);
    pthread_exit(NULL);
}
//~[fixed] SAFE executions=1
