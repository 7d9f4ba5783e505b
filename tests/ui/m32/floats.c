//@ run: check
//@ revisions: exact inexact sse2
//@ clang: -m32
//@[sse2] clang: -msse2
// Without SSE2 an i386 computes with more digits than `double` has, wherever the compiler pleases: only what has no more
// digits is known.
#include <assert.h>

volatile double three = 3, tenth = 0.1;
volatile int large = 16777217;

int main(void)
{
    assert(three / 2 == 1.5 && three * 0.25 + 1 == 1.75);
    assert((int)(three * 1000) == 3000);
#ifndef exact
    assert((float)large == 16777216);
    double sum = three * tenth;
    assert(sum != 0.3);
#endif
    return 0;
}
//~[exact] SAFE executions=1
//~[sse2] SAFE executions=1
//~[inexact] INCONCLUSIVE ledger=unsupported
