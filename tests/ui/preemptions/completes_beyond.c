//@ run: races
//@ revisions: one two
//@ flags: --globals=initial
//@[one] flags: --preemptions 1
//@[two] flags: --preemptions 2
// The two operations come to their ends only with two preemptions, but their race shows with one: it counts all the same.
// One of them twice waits for good: that counts as an end.
#include <stdatomic.h>

static atomic_int first, second, third;
static int x;

void ping(void)
{
    x = 1; //~ RACE@x write
    //~^ RACE@ping write
    //~^^ RACE@ping write
    atomic_store(&first, 1);
    while (!atomic_load(&second))
        ;
    atomic_store(&third, 1);
}

void pong(void)
{
    x = 2; //~ RACE@x write
    //~^ RACE@pong write
    //~^^ RACE@pong write
    while (!atomic_load(&first))
        ;
    atomic_store(&second, 1);
    while (!atomic_load(&third))
        ;
}
