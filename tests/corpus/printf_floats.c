// Every flag, width and precision of printf's floating-point conversions.
#include <stdio.h>
int main(void)
{
    double v[] = {0, -0.0, 1, 0.1, 9.995, 99999.95, 1e-5, 123456789.125, 1e100, 5e-324, 1.0 / 0.0, -(0.0 / 1), 2.5, 3.5};
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++) {
        printf("[%f][%e][%g][%a]", v[i], v[i], v[i], v[i]);
        printf("[%12.3f][%-12.3e][%+g][% g][%#g][%#.0f][%#.0e]", v[i], v[i], v[i], v[i], v[i], v[i], v[i]);
        printf("[%012.2f][%-012g][%.0f][%.1g][%.10g][%.17g][%G][%E]", v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i]);
        printf("[%.3a][%.0a][%A][%20a][%-20a][%020a]", v[i], v[i], v[i], v[i], v[i], v[i]);
        printf("[%*.*f]", 9, 2, v[i]);
        printf("[%Lf][%Le][%Lg][%La]\n", (long double)v[i], (long double)v[i], (long double)v[i], (long double)v[i]);
    }
    return printf("%.40f\n", 0.1) & 63;
}
