// Checked arithmetic, saturating arithmetic, and both in mixed types.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#define CHECK(T)                                                                                                       \
    do {                                                                                                               \
        T v[] = {0, 1, 2, (T)-1, (T)-2, 77, (T)((T)1 << (sizeof(T) * 8 - 2)), (T)((T)1 << (sizeof(T) * 8 - 1))}, r;    \
        unsigned flags = 0;                                                                                            \
        unsigned long long sum = 0;                                                                                    \
        for (int i = 0; i < 8; i++)                                                                                    \
            for (int j = 0; j < 8; j++) {                                                                              \
                flags = flags * 3 + __builtin_add_overflow(v[i], v[j], &r), sum = sum * 7 + (unsigned long long)r;     \
                flags = flags * 3 + __builtin_sub_overflow(v[i], v[j], &r), sum = sum * 7 + (unsigned long long)r;     \
                flags = flags * 3 + __builtin_mul_overflow(v[i], v[j], &r), sum = sum * 7 + (unsigned long long)r;     \
                sum = sum * 5 + (unsigned long long)__builtin_elementwise_add_sat(v[i], v[j]);                         \
                sum = sum * 5 + (unsigned long long)__builtin_elementwise_sub_sat(v[i], v[j]);                         \
            }                                                                                                          \
        printf(#T " %u %llu\n", flags, sum);                                                                           \
    } while (0)
int main(void)
{
    CHECK(int8_t);
    CHECK(uint8_t);
    CHECK(int16_t);
    CHECK(uint16_t);
    CHECK(int32_t);
    CHECK(uint32_t);
    CHECK(int64_t);
    CHECK(uint64_t);
    CHECK(__int128);
    CHECK(unsigned __int128);
    int8_t s;
    uint8_t u;
    uint64_t w;
    printf("%d ", __builtin_add_overflow(300, -200, &s));
    printf("%d ", __builtin_sub_overflow(3u, 5, &s));
    printf("%d ", __builtin_mul_overflow(-1, 255u, &u));
    printf("%d %d\n", __builtin_add_overflow((int64_t)-1, (uint64_t)1, &w), s + u + (int)w);
    unsigned long carry;
    unsigned long x = __builtin_addcl(~0ul, 1, 1, &carry);
    printf("%lu %lu\n", x, carry);
    return 0;
}
