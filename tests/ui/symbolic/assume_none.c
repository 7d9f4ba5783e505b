//@ run: check
// Assumptions that exclude each other leave nothing to execute, so the assertion cannot fail.
#include <assert.h>
#include <raddle.h>

int main(void)
{
    int k;
    raddle_symbolic(&k, sizeof k, "k");
    raddle_assume(k > 3);
    raddle_assume(k < 4);
    assert(0);
    return 0;
}
//~ SAFE executions=0
