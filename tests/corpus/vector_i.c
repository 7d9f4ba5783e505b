// Vectors of 8 bytes of int.
#include <stdio.h>
#include <string.h>
typedef int V __attribute__((vector_size(8)));
enum { N = 8 / sizeof(int) };
static V pass(V a, V b, int by) { return (a + b) * (int)by - (a ^ b); }
struct holder { char c; V v; };
static struct holder hold(struct holder h) { h.v = h.v + h.c; return h; }
int main(void)
{
    V a, b;
    for (int i = 0; i < N; i++)
        a[i] = i * 37 + 5, b[i] = 200 - i * 11;
    V r[8] = {a + b, a - b, a * b, a / b, a % (b | 1), a & b, a | ~b, -a};
    r[0] += pass(a, b, 3);
    r[1] ^= (a < b) | (a == b);
    r[2] = (a > b) & (V)(a >= b);
    r[3] <<= 1;
    r[4] >>= 1;
    struct holder h = hold((struct holder){3, a});
    r[5] += h.v;
    unsigned long long sum = 0;
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < N; i++)
            sum = sum * 31 + (unsigned long long)r[k][i];
    unsigned char bytes[sizeof(V)];
    memcpy(bytes, &r[0], sizeof bytes);
    for (unsigned i = 0; i < sizeof bytes; i++)
        sum = sum * 7 + bytes[i];
    V *p = &r[2];
    (*p)[N - 1] = 9;
    a[N / 2] = b[(int)(sum % N)];
    printf("%llu %lld %lld\n", sum, (long long)p[0][N - 1], (long long)__builtin_reduce_add(r[1]));
    return (int)(sum & 63);
}
