//@ run: check
//@ revisions: odd even z3 checked
//@[z3] flags: --solver z3
//@[checked] flags: --solver-check
//@ clang: -w
// What only a solver decides: products, remainders, and an array read at a symbolic index.
#include <assert.h>
#include <raddle.h>

int main(void)
{
    static const unsigned char squares[8] = {0, 1, 4, 1, 0, 1, 4, 1};
    unsigned short x, y;
    raddle_symbolic(&x, sizeof x, "x");
    raddle_symbolic(&y, sizeof y, "y");
    unsigned sum = (unsigned)x * x % 8 + (unsigned)y * y % 8;
    assert((unsigned)x * x % 8 == squares[x % 8]);
#ifdef even
    assert(sum != 5); //~[even] ASSERTION inputs=x,y
#else
    assert(sum != 7);
#endif
    return 0;
}
//~[odd,z3,checked] SAFE paths=1 executions=1
//~[even] FINDINGS
