//@ run: check
//@ revisions: cancels fork_handler quiet
// What a cancelled thread does is not explored, and said so. Saying how one would be cancelled changes nothing.
#include <assert.h>
#include <pthread.h>

static void *worker(void *arg)
{
    int old = -1;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    assert(old == PTHREAD_CANCEL_ENABLE);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    assert(old == PTHREAD_CANCEL_DISABLE);
    pthread_testcancel();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
#ifdef cancels
    pthread_cancel(t);
#endif
#ifdef fork_handler
    pthread_atfork(NULL, NULL, NULL);
#endif
    pthread_join(t, NULL);
    return 0;
}
//~[cancels] INCONCLUSIVE ledger=external_call
//~[fork_handler] SAFE executions=1
//~[quiet] SAFE executions=1
