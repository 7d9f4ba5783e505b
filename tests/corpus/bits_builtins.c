// Counting, swapping and rotating bits in every width.
#include <stdint.h>
#include <stdio.h>
int main(void)
{
    uint64_t v[] = {1, 2, 0x80, 0xff00, 0x12345678, 0x80000000, 0x123456789abcdef0, 0x8000000000000000, ~0ull};
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++) {
        uint64_t x = v[i];
        uint32_t w = (uint32_t)(x | 1);
        printf("%d %d %d %d %d %d ", __builtin_popcountll(x), __builtin_clzll(x), __builtin_ctzll(x), __builtin_ffsll(x),
               __builtin_parityll(x), __builtin_clrsbll(x));
        printf("%d %d %d %d %d %d ", __builtin_popcount(w), __builtin_clz(w), __builtin_ctz(w), __builtin_ffs(w),
               __builtin_parity(w), __builtin_clrsb(w));
        printf("%x %x %llx ", __builtin_bswap16(w), __builtin_bswap32(w), (unsigned long long)__builtin_bswap64(x));
        printf("%x %x %x %llx ", __builtin_bitreverse8(w), __builtin_bitreverse16(w), __builtin_bitreverse32(w),
               (unsigned long long)__builtin_bitreverse64(x));
        for (unsigned r = 0; r < 40; r += 13)
            printf("%x %x %x %llx %llx ", __builtin_rotateleft8(w, r), __builtin_rotateright16(w, r),
                   __builtin_rotateleft32(w, r), (unsigned long long)__builtin_rotateright64(x, r),
                   (unsigned long long)(x << (r & 63) | x >> (-r & 63)));
        printf("%lld %d\n", (long long)__builtin_llabs((long long)(x >> 1) * -1), __builtin_abs((int)(w >> 1) * -1));
        unsigned __int128 u = (unsigned __int128)x << 37 | x;
        printf("%d %d %d\n", __builtin_popcountg(u), __builtin_clzg(u), __builtin_ctzg(u));
    }
    return 0;
}
