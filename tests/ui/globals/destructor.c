//@ run: check
// Destructors are not run, and that is said.
#include <assert.h>

__attribute__((destructor)) static void at_the_end(void)
{
    assert(0);
}

int main(void)
{
    return 0;
}
//~ INCONCLUSIVE ledger=unsupported
