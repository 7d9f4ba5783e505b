//@ run: check
//@ revisions: cut enough
//@[cut] flags: --unroll 3
//@[enough] flags: --unroll 8
// The bound counts the depth of a recursion as well.
#include <assert.h>
#include <raddle.h>

static unsigned sum(unsigned n)
{
    return n == 0 ? 0 : n + sum(n - 1);
}

int main(void)
{
    unsigned n;
    raddle_symbolic(&n, sizeof n, "n");
    raddle_assume(n < 6);
    assert(sum(n) == n * (n + 1) / 2);
    return 0;
}
//~[cut] INCONCLUSIVE ledger=loop_bound
//~[enough] SAFE paths=6
