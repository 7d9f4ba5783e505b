//@ run: check
//@ revisions: infeasible_first feasible_first
// The cases of a switch are decided one after the other: a state in which one is decided is no state that was met.
#include "raddle.h"
#include <pthread.h>
#include <stdatomic.h>
#ifdef infeasible_first
enum { FIRST = -1 };
#else
enum { FIRST = 3 };
#endif
static atomic_int y;
static void *look(void *p)
{
    raddle_assert(y != 0); //~ ASSERTION
    return p;
}
int main(void)
{
    int n;
    pthread_t thread;
    raddle_symbolic(&n, sizeof n, "n");
    raddle_assume(n >= 0 && n < 5);
    pthread_create(&thread, 0, look, 0);
    switch (n) {
    case FIRST: y = 1; break;
    case 4: y = 2; break;
    }
    for (;;)
        y = 3;
}
