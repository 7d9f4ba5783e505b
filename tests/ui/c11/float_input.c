//@ run: check
//@ revisions: exact rounded parts divided near single narrow whole few many
// Floating-point numbers that depend on inputs are computed exactly, as IEEE 754 has it; only what has no such term (remainders,
// `long double`, most of <math.h>) takes values of the input one by one: all of them where they are few, and else some, which is
// said.
#include <assert.h>
#include <math.h>
#include <raddle.h>

int main(void)
{
    int k;
    double x;
    float f;
    raddle_symbolic(&k, sizeof k, "k");
    raddle_symbolic(&x, sizeof x, "x");
    raddle_symbolic(&f, sizeof f, "f");
#ifdef exact
    double half = k * 0.5;
    assert(half + half == k);
#endif
#ifdef rounded
    // A float has 24 bits.
    assert((int)(float)(k & 0x1ffffff) == (k & 0x1ffffff)); //~[rounded] ASSERTION
#endif
#ifdef parts
    // Each part is a term of its own.
    if (x > 1 && x < 2 && f > 1 && f < 2)
        assert(x + f > 2 && x + f < 4 && x * f > 1 && x * f <= 4);
#endif
#ifdef divided
    if (x > 1 && x < 2)
        assert(1 / x < 1 && 1 / x > 0.5);
#endif
#ifdef near
    // Not so for every number: NaN, and what is so large that one is nothing.
    assert(f + 1 > f); //~[near] ASSERTION
#endif
#ifdef single
    if (f * f == 2.25f)
        assert(f == 1.5f || f == -1.5f);
#endif
#ifdef narrow
    if (f * f == 2.25f)
        assert(f == 1.5f); //~[narrow] ASSERTION
#endif
#ifdef whole
    int places[4] = { 0 };
    if (f > -1 && f < 4.5f)
        places[(int)f] = 1; //~[whole] OUT_OF_BOUNDS
#endif
#ifdef few
    raddle_assume(k >= 0 && k < 3);
    assert(fmod(k, 2) == k % 2);
#endif
#ifdef many
    assert(fmod(k, 2) == k % 2);
#endif
    return 0;
}
//~[exact] SAFE
//~[parts] SAFE
//~[divided] SAFE
//~[single] SAFE
//~[few] SAFE
//~[many] INCONCLUSIVE ledger=concretized
