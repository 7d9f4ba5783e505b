//@ run: check
//@ revisions: divide remainder unsigned_divide guarded
// A divisor from the input may be zero.
#include <raddle.h>

int main(void)
{
    int d, r = 0;
    raddle_symbolic(&d, sizeof d, "d");
#if defined divide
    r = 100 / d; //~[divide] DIVISION_BY_ZERO inputs=d
#elif defined remainder
    r = 100 % d; //~[remainder] DIVISION_BY_ZERO inputs=d
#elif defined unsigned_divide
    r = (int)(100u / (unsigned)d); //~[unsigned_divide] DIVISION_BY_ZERO inputs=d
#else
    if (d != 0)
        r = 100 / d;
#endif
    (void)r;
    return 0;
}
//~[guarded] SAFE paths=2
