//@ run: check
//@ revisions: wrong right
// pthread_exit ends the thread from any depth, and its value goes to the join.
#include <assert.h>
#include <pthread.h>

static int after;

static void leave(void *value)
{
    pthread_exit(value);
}

static void *worker(void *arg)
{
    leave(arg);
    after = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    int token;
    void *result = NULL;
    pthread_create(&t, NULL, worker, &token);
    pthread_join(t, &result);
    assert(after == 0);
#ifdef wrong
    assert(result == NULL); //~[wrong] ASSERTION
#else
    assert(result == &token);
#endif
    return 0;
}
//~[right] SAFE executions=1
