//@ run: check
//@ revisions: reached unreached
// An instruction that raddle does not know, here inline assembly, counts only where it is reached.
#include <raddle.h>

int main(void)
{
    int k;
    raddle_symbolic(&k, sizeof k, "k");
#ifdef unreached
    raddle_assume(k != 7);
#endif
    if (k == 7)
        __asm__ volatile("bswapl %0" : "+r"(k));
    return k == 8;
}
//~[reached] INCONCLUSIVE ledger=unsupported
//~[unreached] SAFE
