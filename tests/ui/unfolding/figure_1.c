//@ run: check
//@ revisions: visited dpor unfolding cut
//@[dpor] flags: --strategy dpor
//@[unfolding] flags: --strategy unfolding --no-cutoffs
//@[cut] flags: --strategy unfolding
// SPOE, figure 1: one thread takes an input in and sets a number, another reads the number and looks at the input. Five executions: the
// number read late or early, and the input looked at once it is there, which has two outcomes, or before, which has one.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

void raddle_symbolic(void *at, unsigned long size, const char *name);

static _Atomic int a, c;

static void *first(void *arg)
{
    int in;
    raddle_symbolic(&in, sizeof in, "in");
    a = in;
    c = 3;
    return arg;
}

static void *second(void *arg)
{
    int b = c;
    if (a < 0)
        puts("n");
    else
        puts("y");
    return b ? arg : 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
//~ SAFE executions=5
