// The built-in functions on long double that are instructions of their own.
#include <math.h>
#include <stdio.h>

static long double values[] = {0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.49999, 1e15, -1e20, 7};

int main(void)
{
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        long double x = values[i], y = values[(i + 3) % 11];
        printf("%Lg %Lg %Lg ", (long double)__builtin_fabsl(x), (long double)__builtin_floorl(x),
               (long double)__builtin_ceill(x));
        printf("%Lg %Lg %Lg ", (long double)__builtin_truncl(x), (long double)__builtin_rintl(x),
               (long double)__builtin_roundl(x));
        printf("%Lg %Lg ", (long double)__builtin_nearbyintl(x), (long double)__builtin_copysignl(x, y));
        printf("%Lg %Lg ", (long double)__builtin_fminl(x, y), (long double)__builtin_fmaxl(x, y));
        printf("%.20Lg ", (long double)__builtin_elementwise_sqrt(x < 0 ? -x : x));
        printf("%.20Lg ", (long double)__builtin_elementwise_fma(x, y, x));
        printf("%Lg ", (long double)__builtin_powil(y / 4, i - 5));
        printf("%d%d%d%d%d ", isnan(x), isinf(x), isfinite(x), isnormal(x), signbit(x) != 0);
        printf("%d%d%d%d\n", isless(x, y), isgreaterequal(x, y), islessgreater(x, y), isunordered(x, y));
    }
    return __builtin_isnan(values[0] / values[0]) + __builtin_isinf_sign(-1 / values[0]) + 4;
}
