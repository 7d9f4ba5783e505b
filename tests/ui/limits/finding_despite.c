//@ run: check --unroll 3
// A finding stands whatever else was lost.
#include <assert.h>
#include <raddle.h>

int main(void)
{
    unsigned n, i = 0;
    raddle_symbolic(&n, sizeof n, "n");
    while (i < n)
        i++;
    assert(i != 2); //~ ASSERTION inputs=n
    return 0;
}
//~ FINDINGS ledger=loop_bound
