//@ run: check
//@ revisions: unlooked looked
// A product of 64 bits is computed in words that are wider than the solver's integers to see whether it overflows.
#include <assert.h>
#include <raddle.h>
#include <stddef.h>

int main(void)
{
    size_t count, size, bytes;
    raddle_symbolic(&count, sizeof count, "count");
    raddle_symbolic(&size, sizeof size, "size");
#ifdef looked
    if (count >> 32 || size >> 32)
        return 0; //~[looked] SAFE
#endif
    assert(!__builtin_mul_overflow(count, size, &bytes)); //~[unlooked] ASSERTION
    return 0;
}
