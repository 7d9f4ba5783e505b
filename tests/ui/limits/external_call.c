//@ run: check
//@ revisions: reached unreached
// A function without a body that raddle does not know: only reaching it counts, and then nothing is claimed.
#include <raddle.h>

int ask_the_oracle(int question);

int main(void)
{
    int k;
    raddle_symbolic(&k, sizeof k, "k");
#ifdef unreached
    raddle_assume(k < 5);
#endif
    if (k > 5)
        k = ask_the_oracle(k);
    return k > 100;
}
//~[reached] INCONCLUSIVE ledger=external_call
//~[unreached] SAFE
