// <math.h> at numbers where functions change their ways: each of one operand for all of them, those of two for all pairs.
// needs: 64 bits: the mathematical functions of the other library round otherwise
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double values[] = {0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.0, 2.5, -2.5, 3.0, 0.1, -7.25, 1e-5, 1e5, 123456.789, -170.5,
    171.7, 710.5, -745.2, 1e17, 4503599627370497.5, 9007199254740993.0, 1e300, -1e300, 1e-300, DBL_MIN, -DBL_MIN, 4.9e-324, DBL_MAX,
    INFINITY, -INFINITY, NAN};
enum { COUNT = sizeof values / sizeof *values };

static void d(double x)
{
    unsigned long bits;
    memcpy(&bits, &x, 8);
    printf(" %lx/%d", bits, errno);
    errno = 0;
}
static void f(float x)
{
    unsigned bits;
    memcpy(&bits, &x, 4);
    printf(" %x/%d", bits, errno);
    errno = 0;
}
static void l(long double x)
{
    unsigned long bits[2] = {0};
    memcpy(bits, &x, 10);
    printf(" %lx.%lx/%d", bits[1], bits[0], errno);
    errno = 0;
}
static void i(long x)
{
    printf(" %ld/%d", x, errno);
    errno = 0;
}

typedef double unary(double);
typedef float unary_f(float);
typedef long double unary_l(long double);
typedef double binary(double, double);
typedef float binary_f(float, float);
typedef long double binary_l(long double, long double);

#define ALL(X) X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp10) X(exp2) \
    X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(nearbyint) X(nextdown) X(nextup) X(rint) X(round) \
    X(roundeven) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc) X(j0) X(j1) X(y0) X(y1)
#define DOUBLE(name) name,
#define SINGLE(name) name##f,
#define LONG(name) name##l,
static unary *const unaries[] = {ALL(DOUBLE)};
static unary_f *const unaries_f[] = {ALL(SINGLE)};
static unary_l *const unaries_l[] = {ceill, fabsl, floorl, logbl, nearbyintl, rintl, roundl, roundevenl, sqrtl, truncl};
#define PAIRS(X) X(atan2) X(copysign) X(drem) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
static binary *const binaries[] = {PAIRS(DOUBLE)};
static binary_f *const binaries_f[] = {PAIRS(SINGLE)};
static binary_l *const binaries_l[] = {copysignl, dreml, fdiml, fmaxl, fminl, fmodl, nextafterl, remainderl, nexttowardl};
#define LENGTH(array) (sizeof array / sizeof *array)

int main(void)
{
    int n;
    for (unsigned v = 0; v < COUNT; v++) {
        double x = values[v];
        printf("%a:", x);
        for (unsigned k = 0; k < LENGTH(unaries); k++)
            d(unaries[k](x)), f(unaries_f[k]((float)x));
        for (unsigned k = 0; k < LENGTH(unaries_l); k++)
            l(unaries_l[k](x)), l(unaries_l[k](x / 3.0L));
        i(ilogb(x)), i(ilogbf(x)), i(ilogbl(x)), i(llogb(x)), i(lrint(x)), i(lrintf(x)), i(lrintl(x)), i(llround(x)), i(lroundf(x));
        i(lroundl(x)), i(fpclassify(x)), i(fpclassify((float)x)), i(fpclassify((long double)x)), i(signbit(x) != 0);
        i(isnan(x) != 0), i(isinf(x)), i(isfinite(x) != 0), i(isnormal(x) != 0);
        double whole, s, c;
        float whole_f;
        long double whole_l;
        d(modf(x, &whole)), d(whole), f(modff(x, &whole_f)), f(whole_f), l(modfl(x, &whole_l)), l(whole_l);
        d(frexp(x, &n)), i(isfinite(x) ? n : 0), f(frexpf(x, &n)), i(isfinite((float)x) ? n : 0), l(frexpl(x, &n)), i(isfinite(x) ? n : 0);
        sincos(x, &s, &c), d(s), d(c), d(lgamma_r(x, &n)), i(n);
        for (int e = -1200; e < 1300; e += 300)
            d(ldexp(x, e)), f(scalbnf(x, e / 8)), l(scalblnl(x, 14 * e)), d(scalbln(x, 1000000000000 * e)), l(ldexpl(x, e));
        for (int order = -2; order < 4; order++)
            d(jn(order, x)), f(ynf(order, x));
        putchar('\n');
        for (unsigned w = 0; w < COUNT; w++) {
            double y = values[w];
            for (unsigned k = 0; k < LENGTH(binaries); k++)
                d(binaries[k](x, y)), f(binaries_f[k](x, y));
            for (unsigned k = 0; k < LENGTH(binaries_l); k++)
                l(binaries_l[k](x, y));
            d(nexttoward(x, y)), f(nexttowardf(x, y)), d(fma(x, y, 1)), l(fmal(x, y, -x)), f(fmaf(x, y, y));
            d(remquo(x, y, &n)), i(isfinite(x) && y == y && y != 0 ? n & 7 : 0);
            printf(" %d%d%d%d", isless(x, y), isgreaterequal(x, y), islessgreater(x, y), isunordered(x, y));
        }
        putchar('\n');
    }
    d(nan("")), d(nan("17")), d(nan("0x7fffffffffffffff")), d(nan("no-number")), f(nanf("010")), l(nanl("99"));
    return 0;
}
