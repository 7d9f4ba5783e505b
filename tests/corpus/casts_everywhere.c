// Chains of casts between all arithmetic types.
#include <stdint.h>
#include <stdio.h>
#define A(x) ((int8_t)(uint16_t)(int64_t)(x))
#define B(x) ((uint32_t)(int8_t)(__int128)(x))
#define C(x) ((double)(float)(int32_t)(x))
#define D(x) ((unsigned __int128)(int16_t)(uint8_t)(x))
int main(void)
{
    int64_t v[] = {0, 1, -1, 127, 128, 255, -128, 32768, 65535, 2147483647, -2147483648ll, 4294967296, -99999999999};
    uint64_t sum = 0;
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++) {
        int64_t x = v[i];
        sum = sum * 31 + A(x) + B(x) + (uint64_t)(int64_t)C(x) + (uint64_t)D(x) + (_Bool)x + (char)x + (uint64_t)(long double)(x / 2);
        float f = (float)x;
        double d = x;
        long double l = x;
        sum = sum * 31 + (d == l) + 2 * (f == d) + 4 * ((int64_t)l == x) + (uint64_t)(__int128)l;
        void *p = (void *)(intptr_t)x;
        sum += (uintptr_t)p >> 3;
        enum { RED, GREEN = 1000 } e = (int)x & 1 ? GREEN : RED;
        printf("%llu %d %g\n", (unsigned long long)sum, e, f);
    }
    printf("%d %d %u\n", -1 < 1u, (signed char)200 >> 1, (unsigned char)200 << 2);
    return 0;
}
