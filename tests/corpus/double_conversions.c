// Conversions between double, all integers and the other floating-point types.
#include <stdio.h>
#include <stdint.h>

static double values[] = {0, 0.99, -0.99, 1.5, 2.5, -3.5, 100.25, 127, 32767.5, -128, 65535, 1e9, 16777217, 4294967295.0};

int main(void)
{
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        double x = values[i];
        printf("%d %lld %llu ", (int)(x / 3), (long long)x, (unsigned long long)(x < 0 ? -x : x));
        printf("%d %u %d %d ", (int8_t)(x / 1e9), (uint32_t)(x < 0 ? -x : x), (int16_t)(x / 1e6), (_Bool)x);
        printf("%g %.17g %.21Lg ", (float)x, (double)x, (long double)x);
        __int128 w = (__int128)(x * 1e15);
        printf("%llx %llx\n", (unsigned long long)(w >> 64), (unsigned long long)w);
    }
    int64_t big[] = {INT64_MAX, INT64_MIN, 9007199254740993, -16777219, 1, 0};
    for (int i = 0; i < 6; i++) {
        double s = big[i], u = (uint64_t)big[i], b = (int8_t)big[i], h = (uint16_t)big[i];
        double w = (__int128)big[i] * 12345, v = (unsigned __int128)big[i];
        printf("%.20Lg %.20Lg %Lg %Lg %.20Lg %.20Lg\n", (long double)s, (long double)u, (long double)b, (long double)h,
               (long double)w, (long double)v);
    }
    return 0;
}
