//@ run: check
//@ revisions: none handler popped
// Cleanup handlers run when the thread ends, the last one first, and when they are popped with an argument that is not 0.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int steps;

static void unlock(void *at)
{
    assert(steps == 1);
    steps = 2;
    pthread_mutex_unlock(at);
}

static void note(void *at)
{
    (void)at;
    assert(steps == 0);
    steps = 1;
}

static void inner(void)
{
#ifndef popped
    pthread_exit(NULL);
#endif
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
#ifdef none
    inner();
#else
    pthread_cleanup_push(unlock, &lock);
    pthread_cleanup_push(note, NULL);
    inner();
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&lock); //~[none] DEADLOCK
#ifndef none
    assert(steps == 2);
#endif
    pthread_mutex_unlock(&lock);
    return 0;
}
//~[handler] SAFE executions=1
//~[popped] SAFE executions=1
