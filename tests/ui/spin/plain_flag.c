//@ run: check
//@ revisions: plain yielding seq_cst
// Waiting for a flag in a loop. On a plain variable that is a race, whichever thread runs first, and what stands behind the
// loop is reached all the same.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifdef seq_cst
static atomic_int flag;
#else
static int flag;
#endif
static int data;

static void *producer(void *arg)
{
    data = 1; //~[plain,yielding] RACE@data write
    flag = 1; //~[plain,yielding] RACE@flag write
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
#ifdef yielding
    while (!flag) //~[yielding] RACE@flag read
        sched_yield();
#else
    while (!flag) //~[plain] RACE@flag read
        ;
#endif
    assert(data == 1); //~[plain,yielding] RACE@data read
    pthread_join(t, NULL);
    return 0;
}
//~[seq_cst] SAFE
