// Every operator of C on uint8_t.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#if !defined __BITINT_MAXWIDTH__
#define __BITINT_MAXWIDTH__ 128
#endif
typedef uint8_t T;
typedef unsigned __int128 wide;

static void show(const char *name, T v)
{
    wide w = (wide)(__int128)v;
    printf("%s %016llx%016llx\n", name, (unsigned long long)(w >> 64), (unsigned long long)w);
}

static int classify(T x)
{
    switch (x) {
    case 0: return 1;
    case 5: return 2;
    case 100: return 3;
    default: return x > 7 ? 4 : 5;
    }
}

int main(void)
{
    T v[] = {0, 1, 2, 3, 5, 7, 100, (T)-1, (T)-2, (T)-100, (T)0x1234567890abcdef, (T)((T)1 << 6)};
    int n = sizeof v / sizeof *v, order = 0;
    T sum = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            T a = v[i] / 4, b = v[j] / 8, d = (T)((v[j] & 15) + 1);
            sum = (T)(sum / 3 + a + b - a / d + a % d);
            sum ^= (T)(a & b) | (T)(~a >> (int)(d & 7));
            sum = (T)(sum / 2 + (T)((a & 7) << (int)(d & 3)));
            order += (a < b) + 2 * (a > b) + 3 * (a <= b) + 5 * (a >= b) + 7 * (a == b) + 11 * (a != b);
            order += (a && b) + (a || b) + !a + classify(v[i]);
            a++;
            --b;
            a += b / 2, a -= 1, a /= d, a |= 1, a &= 127;
            sum = (T)(sum / 2 + a * (b / d % 8));
        }
        show("sum", sum);
    }
    T copy;
    memcpy(&copy, &v[10], sizeof copy);
    T *p = v + 3;
    *p++ = copy;
    p[1] = (T)(*p & 63);
    show("copy", v[3]);
    show("next", p[1]);
    int8_t c = (int8_t)copy;
    uint16_t h = (uint16_t)copy;
    T back = (T)c, up = (T)h, big = (T)(__int128)(int64_t)copy, truth = (_Bool)copy;
    show("c", back), show("h", up), show("w", big), show("t", truth);
    printf("%d %d\n", order, (int)sizeof(T));
    return order & 63;
}
