// flags: -fno-math-errno -D_GNU_SOURCE
// needs: 64 bits: the mathematical functions of the other library round otherwise
// What clang makes intrinsics of when nobody looks at error numbers: the same results as those of the functions.
#include <math.h>
#include <stdio.h>
#include <string.h>

static volatile double values[] = {0.0, -0.0, 0.5, 1.0, -1.5, 2.0, 3.0, 0.1, -7.25, 1e-5, 123456.789, 171.7, 710.5, -745.2, 1e300, 4.9e-324, INFINITY, NAN};
enum { COUNT = sizeof values / sizeof *values };

static void d(double x)
{
    unsigned long bits;
    memcpy(&bits, &x, 8);
    printf(" %lx", bits);
}
static void f(float x)
{
    unsigned bits;
    memcpy(&bits, &x, 4);
    printf(" %x", bits);
}

int main(void)
{
    for (int i = 0; i < COUNT; i++) {
        double x = values[i];
        float s = (float)x;
        d(sin(x)), d(cos(x)), d(tan(x)), d(asin(x)), d(acos(x)), d(atan(x)), d(sinh(x)), d(cosh(x)), d(tanh(x)), d(exp(x)), d(exp2(x));
        d(log(x)), d(log2(x)), d(log10(x)), d(sqrt(x)), d(cbrt(x)), d(expm1(x)), d(log1p(x)), d(erf(x)), d(tgamma(x));
        f(sinf(s)), f(cosf(s)), f(tanf(s)), f(expf(s)), f(exp2f(s)), f(logf(s)), f(log2f(s)), f(log10f(s)), f(sqrtf(s)), f(atanf(s));
        printf(" %Lf %Lf", floorl(x), sqrtl(fabsl(x)));
        for (int j = 0; j < COUNT; j++) {
            double y = values[j];
            d(pow(x, y)), d(atan2(x, y)), d(fmod(x, y)), d(hypot(x, y)), f(powf(s, y)), d(fma(x, y, 1));
        }
        double a, b;
        sincos(x, &a, &b), d(a), d(b), d(modf(x, &a)), d(a);
        d(ldexp(x, 3)), d(__builtin_powi(x, 3)), printf(" %ld %d\n", lrint(x), ilogb(x));
    }
    return 0;
}
