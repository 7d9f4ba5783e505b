//@ run: check
//@ revisions: overflows guarded
// The least number divided by -1 traps.
#include "raddle.h"
#include <limits.h>

int main(void)
{
    int a, b;
    raddle_symbolic(&a, sizeof a, "a");
    raddle_symbolic(&b, sizeof b, "b");
    raddle_assume(b != 0);
#ifdef guarded
    raddle_assume(a != INT_MIN);
#endif
    return (a / b) & 1; //~[overflows] DIVISION_BY_ZERO
}
//~[guarded] SAFE
