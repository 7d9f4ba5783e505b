//@ run: check
// Of a count that is too large, the machine looks at the low bits.
#include <assert.h>
#include <raddle.h>

int main(void)
{
    volatile unsigned count = 33;
    assert(1 << count == 2 && 8u >> count == 4 && -8 >> count == -4);
    volatile unsigned long wide = 65;
    assert(1ul << wide == 2);
    unsigned any;
    raddle_symbolic(&any, sizeof any, "any");
    raddle_assume(any >= 32 && any < 64);
    assert(1u << any == 1u << (any - 32));
    return 0;
}
//~ SAFE
