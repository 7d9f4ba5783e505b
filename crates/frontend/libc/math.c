/* <math.h> (C11 7.12), with what POSIX and the GNU C library add.
 *
 * What is exact by its definition is computed here; `float` and `double` versions of the rest are those of the system's
 * library, bit by bit, with the error numbers that it sets. Of `long double` there is only what is exact.
 *
 * Provides: acos acosf acosh acoshf asin asinf asinh asinhf atan atanf atanh atanhf cbrt cbrtf cos cosf cosh coshf erf erff
 * erfc erfcf exp expf exp10 exp10f exp2 exp2f expm1 expm1f j0 j0f j1 j1f log logf log10 log10f log1p log1pf log2 log2f
 * logb logbf nextdown nextdownf nextup nextupf sin sinf sinh sinhf tan tanf tanh tanhf tgamma tgammaf y0 y0f y1 y1f atan2
 * atan2f fdim fdimf fmax fmaxf fmin fminf fmod fmodf hypot hypotf nextafter nextafterf pow powf remainder remainderf drem
 * dremf ldexp ldexpf scalbn scalbnf scalbln scalblnf jn jnf yn ynf ilogb ilogbf llogb llogbf lgamma_r lgammaf_r lgamma
 * lgammaf gamma gammaf signgam remquo remquof sincos sincosf nexttoward nexttowardf nexttowardl fabs fabsf fabsl floor
 * floorf floorl ceil ceilf ceill trunc truncf truncl round roundf roundl roundeven roundevenf roundevenl rint rintf rintl
 * nearbyint nearbyintf nearbyintl lrint lrintf lrintl llrint llrintf llrintl lround lroundf lroundl llround llroundf
 * llroundl copysign copysignf copysignl fma fmaf fmal sqrt sqrtf sqrtl frexp frexpf frexpl modf modff modfl fdiml fmaxl
 * fminl fmodl remainderl dreml ldexpl scalbnl scalblnl ilogbl llogbl logbl nextafterl isnan isnanf isnanl isinf isinff
 * isinfl finite finitef finitel __isnan __isnanf __isnanl __isinf __isinff __isinfl __finite __finitef __finitel
 * __signbit __signbitf __signbitl __fpclassify __fpclassifyf __fpclassifyl __issignaling __issignalingf */

/* The error numbers of <math.h>. */
enum { EDOM = 33 };

static void report(int error)
{
    if (error)
        errno = error;
}

/* ---- The system's. ---- */

#define UNARY(type, name) \
    extern type __raddle_libm_##name(type x, int *error); \
    type name(type x) \
    { \
        int error; \
        type y = __raddle_libm_##name(x, &error); \
        report(error); \
        return y; \
    }
#define BINARY(type, name, first, second) \
    extern type __raddle_libm_##name(first x, second y, int *error); \
    type name(first x, second y) \
    { \
        int error; \
        type z = __raddle_libm_##name(x, y, &error); \
        report(error); \
        return z; \
    }
#define BOTH(name) UNARY(double, name) UNARY(float, name##f)
#define BOTH_BINARY(name) BINARY(double, name, double, double) BINARY(float, name##f, float, float)
BOTH(acos)
BOTH(acosh)
BOTH(asin)
BOTH(asinh)
BOTH(atan)
BOTH(atanh)
BOTH(cbrt)
BOTH(cos)
BOTH(cosh)
BOTH(erf)
BOTH(erfc)
BOTH(exp)
BOTH(exp10)
BOTH(exp2)
BOTH(expm1)
BOTH(j0)
BOTH(j1)
BOTH(log)
BOTH(log10)
BOTH(log1p)
BOTH(log2)
BOTH(logb)
BOTH(nextdown)
BOTH(nextup)
BOTH(sin)
BOTH(sinh)
BOTH(tan)
BOTH(tanh)
BOTH(tgamma)
BOTH(y0)
BOTH(y1)
BOTH_BINARY(atan2)
BOTH_BINARY(fdim)
BOTH_BINARY(fmax)
BOTH_BINARY(fmin)
BOTH_BINARY(fmod)
BOTH_BINARY(hypot)
BOTH_BINARY(nextafter)
BOTH_BINARY(pow)
BOTH_BINARY(remainder)
BINARY(double, ldexp, double, int)
BINARY(float, ldexpf, float, int)
BINARY(double, scalbn, double, int)
BINARY(float, scalbnf, float, int)
BINARY(double, jn, int, double)
BINARY(float, jnf, int, float)
BINARY(double, yn, int, double)
BINARY(float, ynf, int, float)

double drem(double x, double y) { return remainder(x, y); }
float dremf(float x, float y) { return remainderf(x, y); }

/* No exponent is beyond these. */
static int exponent_of(long n) { return n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n; }
double scalbln(double x, long n) { return scalbn(x, exponent_of(n)); }
float scalblnf(float x, long n) { return scalbnf(x, exponent_of(n)); }

#define EXPONENT(type, f) \
    extern int __raddle_libm_ilogb##f(type x, int *error); \
    int ilogb##f(type x) \
    { \
        int error, n = __raddle_libm_ilogb##f(x, &error); \
        report(error); \
        return n; \
    } \
    long llogb##f(type x) \
    { \
        int n = ilogb##f(x); \
        return n == INT32_MIN ? INT64_MIN : n == INT32_MAX ? INT64_MAX : n; \
    }
EXPONENT(double, )
EXPONENT(float, f)

/* Not thread-safe, as POSIX has it: the sign is left in a variable. */
int signgam;
#define GAMMA(type, reentrant, plain, old) \
    extern type __raddle_libm_##reentrant(type x, int *sign, int *error); \
    type reentrant(type x, int *sign) \
    { \
        int error, s; \
        type y = __raddle_libm_##reentrant(x, &s, &error); \
        *sign = s; \
        report(error); \
        return y; \
    } \
    type plain(type x) { return reentrant(x, &signgam); } \
    type old(type x) { return reentrant(x, &signgam); }
GAMMA(double, lgamma_r, lgamma, gamma)
GAMMA(float, lgammaf_r, lgammaf, gammaf)

#define QUOTIENT(type, name) \
    extern type __raddle_libm_##name(type x, type y, int *quotient, int *error); \
    type name(type x, type y, int *quotient) \
    { \
        int error, q; \
        type z = __raddle_libm_##name(x, y, &q, &error); \
        *quotient = q; \
        report(error); \
        return z; \
    }
QUOTIENT(double, remquo)
QUOTIENT(float, remquof)

void sincos(double x, double *s, double *c)
{
    *s = sin(x);
    *c = cos(x);
}
void sincosf(float x, float *s, float *c)
{
    *s = sinf(x);
    *c = cosf(x);
}

/* ---- Exact, of all types. ---- */

#define EXACT(type, f) \
    type fabs##f(type x) { return __builtin_elementwise_abs(x); } \
    type floor##f(type x) { return __builtin_elementwise_floor(x); } \
    type ceil##f(type x) { return __builtin_elementwise_ceil(x); } \
    type trunc##f(type x) { return __builtin_elementwise_trunc(x); } \
    type round##f(type x) { return __builtin_elementwise_round(x); } \
    type roundeven##f(type x) { return __builtin_elementwise_roundeven(x); } \
    type rint##f(type x) { return __builtin_elementwise_rint(x); } \
    type nearbyint##f(type x) { return __builtin_elementwise_nearbyint(x); } \
    long lrint##f(type x) { return (long)__builtin_elementwise_rint(x); } \
    long long llrint##f(type x) { return (long long)__builtin_elementwise_rint(x); } \
    long lround##f(type x) { return (long)__builtin_elementwise_round(x); } \
    long long llround##f(type x) { return (long long)__builtin_elementwise_round(x); } \
    type copysign##f(type x, type y) { return __builtin_elementwise_copysign(x, y); } \
    type fma##f(type x, type y, type z) { return __builtin_elementwise_fma(x, y, z); } \
    type sqrt##f(type x) \
    { \
        if (x < 0) \
            errno = EDOM; \
        return __builtin_elementwise_sqrt(x); \
    } \
    type frexp##f(type x, int *exponent) { return __builtin_frexp##f(x, exponent); } \
    type modf##f(type x, type *whole) \
    { \
        *whole = __builtin_elementwise_trunc(x); \
        type fraction = __builtin_isinf(x) ? 0 : x - *whole; \
        return __builtin_elementwise_copysign(fraction, x); \
    } \
    int __isnan##f(type x) { return x != x; } \
    int __isinf##f(type x) { return x != x || !__builtin_isinf(x) ? 0 : x < 0 ? -1 : 1; } \
    int __finite##f(type x) { return __builtin_isfinite(x) != 0; } \
    int isnan##f(type x) { return __isnan##f(x); } \
    int isinf##f(type x) { return __isinf##f(x); } \
    int finite##f(type x) { return __finite##f(x); } \
    int __signbit##f(type x) { return __builtin_signbit(x) != 0; } \
    int __fpclassify##f(type x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
EXACT(double, )
EXACT(float, f)
EXACT(long double, l)

int __issignaling(double x) { return __builtin_issignaling(x); }
int __issignalingf(float x) { return __builtin_issignaling(x); }

/* ---- Exact, of `long double`. ---- */

/* `x * 2^n`, rounded once. */
extern long double __raddle_scale(long double x, int n);

static int is_finite(long double x) { return __builtin_isfinite(x); }

/* Of an operation on finite numbers that must not become infinite. */
static long double bounded(long double result, long double x, long double y)
{
    if (!is_finite(result) && is_finite(x) && is_finite(y))
        errno = ERANGE;
    return result;
}

long double fdiml(long double x, long double y) { return x <= y ? 0 : bounded(x - y, x, y); }
/* Of zeros with two signs, that which the GNU C library returns. */
long double fmaxl(long double x, long double y) { return y != y || x > y ? x : y; }
long double fminl(long double x, long double y) { return y != y || x <= y ? x : y; }

/* Whether the remainder by `y` is no number, though the operands are. */
static int is_undefined(long double x, long double y) { return x == x && y == y && (y == 0 || !is_finite(x)); }

long double fmodl(long double x, long double y)
{
    if (is_undefined(x, y))
        errno = EDOM;
    return __builtin_elementwise_fmod(x, y);
}

/* Half the divisor decides; a half of the least numbers is none, so there twice the remainder is compared. */
long double remainderl(long double x, long double y)
{
    const long double tiny = 0x1p-16380L;
    if (is_undefined(x, y))
        errno = EDOM;
    if (is_undefined(x, y) || x != x || y != y)
        return (x * y) / (x * y);
    long double size = __builtin_elementwise_abs(x), by = __builtin_elementwise_abs(y);
    if (is_finite(by + by))
        size = __builtin_elementwise_fmod(size, by + by);
    for (int i = 0; i < 2; i++) {
        int above = by < tiny ? size + size > by : size > 0.5L * by;
        int half = by < tiny ? size + size == by : size == 0.5L * by;
        /* What is exactly a half belongs to the even multiple: the second time it is an odd one. */
        if (above || (half && i == 1))
            size -= by;
        else
            break;
    }
    /* A zero has the sign of `x`. */
    return __builtin_signbit(x) ? -size : size;
}
long double dreml(long double x, long double y) { return remainderl(x, y); }

long double scalbnl(long double x, int n)
{
    long double y = __raddle_scale(x, n);
    if (is_finite(x) && x != 0 && (!is_finite(y) || y == 0))
        errno = ERANGE;
    return y;
}
long double ldexpl(long double x, int n) { return scalbnl(x, n); }
long double scalblnl(long double x, long n) { return scalbnl(x, exponent_of(n)); }

int ilogbl(long double x)
{
    int n;
    if (x == 0 || !is_finite(x)) {
        errno = EDOM;
        return x == 0 || x != x ? INT32_MIN : INT32_MAX;
    }
    __builtin_frexpl(x, &n);
    return n - 1;
}
long llogbl(long double x)
{
    int n = ilogbl(x);
    return n == INT32_MIN ? INT64_MIN : n == INT32_MAX ? INT64_MAX : n;
}
long double logbl(long double x)
{
    int n;
    if (x != x)
        return x;
    if (!is_finite(x))
        return __builtin_infl();
    if (x == 0)
        return -__builtin_infl();
    __builtin_frexpl(x, &n);
    return n - 1;
}

/* A number of the x87: its significand with the leading bit, sign and exponent. */
union extended {
    long double value;
    struct { uint64_t significand; uint16_t head; } bits;
};

static long double next(long double x, int outwards)
{
    union extended u = {x};
    const uint64_t leading = (uint64_t)1 << 63;
    if (outwards) {
        if (++u.bits.significand == 0)
            u.bits.significand = leading, u.bits.head++;
        else if (u.bits.significand == leading && (u.bits.head & 0x7fff) == 0)
            u.bits.head++;
    } else {
        if (u.bits.significand-- == leading && (u.bits.head & 0x7fff) != 0) {
            u.bits.head--;
            if ((u.bits.head & 0x7fff) != 0)
                u.bits.significand |= leading;
        }
    }
    return u.value;
}

long double nextafterl(long double x, long double y)
{
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return __builtin_elementwise_copysign(0x1p-16445L, y);
    if (!is_finite(x))
        return x < 0 ? -0x1.fffffffffffffffep+16383L : 0x1.fffffffffffffffep+16383L;
    long double z = next(x, (x < 0) == (y < x));
    if (!is_finite(z) || (z < 0x1p-16382L && z > -0x1p-16382L))
        errno = ERANGE;
    return z;
}
long double nexttowardl(long double x, long double y) { return nextafterl(x, y); }

double nexttoward(double x, long double y)
{
    if (x != x || y != y)
        return (double)(x + y);
    return x == y ? (double)y : nextafter(x, y > x ? __builtin_inf() : -__builtin_inf());
}
float nexttowardf(float x, long double y)
{
    if (x != x || y != y)
        return (float)(x + y);
    return x == y ? (float)y : nextafterf(x, y > x ? __builtin_inff() : -__builtin_inff());
}
