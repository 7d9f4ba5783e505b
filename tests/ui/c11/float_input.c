//@ run: check
//@ revisions: few many
// A floating-point number computed from symbolic input takes the values that the input has: all of them where they are
// few, and else some, which is said.
#include <assert.h>
#include <raddle.h>

int main(void)
{
    int k;
    raddle_symbolic(&k, sizeof k, "k");
#ifdef few
    raddle_assume(k >= 0 && k < 3);
#endif
    double half = k * 0.5;
    assert(half + half == k);
    return 0;
}
//~[few] SAFE
//~[many] INCONCLUSIVE ledger=concretized
