// Vectors of 8 bytes of float.
#include <stdio.h>
typedef float V __attribute__((vector_size(8)));
enum { N = 8 / sizeof(float) };
static V mix(V a, V b, float c) { return a * b + c - a / (b + 1); }
int main(void)
{
    V a, b = {0.5};
    for (int i = 0; i < N; i++)
        a[i] = i * 1.25 - 1, b[i] += 0.1 * i;
    V m = mix(a, b, 2), n = -m;
    m += n * 0.5f;
    for (int i = 0; i < N; i++)
        printf("%.9g %.9g %d %d\n", m[i], n[i], (int)(m < n)[i], (int)(a == a)[i]);
    V f = __builtin_elementwise_floor(m), x = __builtin_elementwise_max(m, n), s = __builtin_elementwise_abs(n);
    V q = __builtin_elementwise_sqrt(s), g = __builtin_elementwise_fma(a, b, m);
    for (int i = 0; i < N; i++)
        printf("%.9g %.9g %.9g %.9g %.9g\n", f[i], x[i], s[i], q[i], g[i]);
    return N;
}
