//@ run: check
//@ revisions: within beyond z3 checked
//@[z3] flags: --solver z3
//@[checked] flags: --solver-check
//@ clang: -w
// What comparisons leave of a variable decides conditions on what is computed from it.
#include <assert.h>
#include <raddle.h>

int main(void)
{
    unsigned x, y;
    unsigned char c;
    raddle_symbolic(&x, sizeof x, "x");
    raddle_symbolic(&y, sizeof y, "y");
    raddle_symbolic(&c, sizeof c, "c");
    if (x < y && y < 10 && c >= '0' && c <= '9') {
        int digit = c - '0';
        assert(digit >= 0 && digit <= 9);
#ifdef beyond
        assert(3 * x + digit <= 32); //~[beyond] ASSERTION inputs=x,y,c
#else
        assert(3 * x + digit <= 33);
#endif
    }
    return 0;
}
//~[within,z3,checked] SAFE paths=5 executions=5
//~[beyond] FINDINGS
