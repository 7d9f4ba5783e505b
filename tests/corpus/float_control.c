// Floating-point numbers in conditions, loops, selections, switches and recursion.
#include <stdio.h>
static double power(double x, int n) { return n == 0 ? 1 : n % 2 ? x * power(x, n - 1) : power(x * x, n / 2); }
static double root(double x)
{
    double low = 0, high = x > 1 ? x : 1;
    while (high - low > 1e-12 * high)
        if ((low + high) / 2 * ((low + high) / 2) < x)
            low = (low + high) / 2;
        else
            high = (low + high) / 2;
    return low;
}
static float select(int c, float a, double b) { return c ? a : b; }
int main(void)
{
    for (double x = 0.25; x < 100; x *= 3.5)
        printf("%.10f %.10g\n", root(x), power(x, 11));
    float f = 0;
    do
        f += 0.1f;
    while (f < 1);
    printf("%.9g %g %g\n", f, select(1, 2, 3), select(0, 2, 3));
    switch ((int)f) {
    case 1: printf("one\n");
    }
    double series = 0;
    for (int n = 1; n < 2000; n++)
        series += (n & 1 ? 4.0 : -4.0) / (2 * n - 1);
    printf("%.12f\n", series);
    return !f || f && series > 3;
}
