//@ run: check
//@ revisions: wrong right
// Conversions, shifts, remainders and comparisons of every width on one symbolic byte.
#include <assert.h>
#include <raddle.h>
#include <stdint.h>

int main(void)
{
    uint8_t b;
    raddle_symbolic(&b, sizeof b, "b");
    int8_t s = (int8_t)b;
    uint16_t w = (uint16_t)(b << 8 | b);
    assert((w >> 8) == b && (uint8_t)w == b);
    assert((s < 0) == (b >= 128));
    assert((int64_t)s == (int64_t)b - (b >= 128 ? 256 : 0));
    assert(b / 16 * 16 + b % 16 == b);
    assert((uint32_t)(b * 0x01010101u) >> 24 == b);
    assert((b & 0x55) + (b & 0xaa) == b && (b ^ 0xff) == 255 - b);
#ifdef wrong
    assert(s / 2 == s >> 1); //~[wrong] ASSERTION inputs=b
#else
    assert(s >> 1 == (s - (b & 1)) / 2);
#endif
    return 0;
}
//~[right] SAFE
