//@ run: check
//@ revisions: wrong right
// Each thread has an identity of its own.
#include <assert.h>
#include <pthread.h>

static pthread_t parent;

static void *worker(void *arg)
{
    pthread_t *told = arg;
    *told = pthread_self();
#ifdef wrong
    assert(pthread_equal(pthread_self(), parent)); //~[wrong] ASSERTION
#else
    assert(!pthread_equal(pthread_self(), parent));
#endif
    return NULL;
}

int main(void)
{
    pthread_t t, told;
    parent = pthread_self();
    pthread_create(&t, NULL, worker, &told);
    pthread_join(t, NULL);
    assert(pthread_equal(t, told));
    return 0;
}
//~[right] SAFE executions=1
