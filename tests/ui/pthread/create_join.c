//@ run: check
//@ revisions: early joined
// What a thread did happens before the return of its join, and creation before what it does.
#include <assert.h>
#include <pthread.h>

static int input, output;

static void *worker(void *arg)
{
    output = input + 1; //~[early] RACE@output write
    return arg;
}

int main(void)
{
    pthread_t t;
    int got;
    input = 1;
    pthread_create(&t, NULL, worker, &input);
#ifdef early
    got = output; //~[early] RACE@output read
#endif
    void *result;
    pthread_join(t, &result);
    assert(result == &input);
#ifndef early
    got = output;
    assert(got == 2);
#endif
    return got;
}
//~[joined] SAFE executions=1
