// Complex arithmetic on all three types, in parameters and results.
#include <complex.h>
#include <stdio.h>
static float complex cf(float complex a, float complex b) { return a * b - a / 2; }
static double complex cd(double complex a, double complex b) { return a * b + conj(a) - b / 2; }
static long double complex cl(long double complex a) { return a * a + 1; }
struct pair { double complex a; int n; };
static struct pair both(struct pair p) { p.a *= p.n; p.n++; return p; }
int main(void)
{
    float complex f = cf(1 + 2 * I, 3 - I);
    double complex d = cd(0.5 - I, 2 + 3 * I);
    long double complex l = cl(2 + I);
    printf("%g %g %g %g %Lg %Lg\n", crealf(f), cimagf(f), creal(d), cimag(d), creall(l), cimagl(l));
    struct pair p = both(both((struct pair){1 + I, 2}));
    printf("%g %g %d %d %d\n", creal(p.a), cimag(p.a), p.n, d == d, d != conj(d));
    double complex a[3] = {1, I, -1}, s = 0;
    for (int i = 0; i < 3; i++)
        s += a[i] * (i + 1);
    __real__ s = 5;
    printf("%g %g %g\n", creal(s), cimag(s), creal(-s));
    return (int)creal(s * ~s);
}
