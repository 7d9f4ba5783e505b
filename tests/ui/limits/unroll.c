//@ run: check
//@ revisions: cut enough
//@[cut] flags: --unroll 3
//@[enough] flags: --unroll 8
// A loop that an input may make longer than the bound: what lies behind the cut is not claimed.
#include <assert.h>
#include <raddle.h>

int main(void)
{
    unsigned n, i = 0;
    raddle_symbolic(&n, sizeof n, "n");
    raddle_assume(n < 6);
    while (i < n)
        i++;
    assert(i == n);
    return 0;
}
//~[cut] INCONCLUSIVE ledger=loop_bound
//~[enough] SAFE paths=6
