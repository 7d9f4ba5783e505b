// Arithmetic, comparisons and compound assignments on long double.
#include <stdio.h>
#include <string.h>

static long double values[] = {0, -0.0, 1, -1, 0.5, 3.25, -7.75, 1e10, -1e-10, 123456.789, 1.0 / 3};

int main(void)
{
    int n = sizeof values / sizeof *values, less = 0, equal = 0, unordered = 0;
    long double sum = 0, nan = 0.0 / values[0];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            long double a = values[i], b = values[j];
            less += (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b);
            equal += (a == b) + 2 * (a != b);
            unordered += (a < nan) + (nan >= b) + (nan != nan) * 2 + !(nan == a);
            long double x = a + b * 2 - (b - a) / 3;
            x += a, x -= b, x *= 0.75, x /= 1.5;
            x++;
            --x;
            x = -x;
            sum += x / (j + 1);
            if (a && !b)
                sum += a ? 1 : 2;
        }
        printf("%.20Lg\n", (long double)sum);
    }
    printf("%d %d %d\n", less, equal, unordered);
    long double inf = 1 / values[0];
    printf("%Lf %Lf %d\n", (long double)inf, (long double)-inf, inf - inf == 0);
    return less & 63;
}
