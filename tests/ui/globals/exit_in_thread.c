//@ run: check
//@ revisions: wrong right
// exit in a thread ends the process: what follows the join is never reached.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg)
{
#ifdef right
    exit(4);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    assert(0); //~[wrong] ASSERTION
    return 0;
}
//~[right] SAFE
