// Matrices and polynomials of doubles and floats.
#include <stdio.h>
#define N 5
static double a[N][N], b[N][N], c[N][N];
static float poly[4] = {1, -0.5f, 0.25f, 3};
int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = 1.0 / (i + j + 1), b[i][j] = i == j ? 2 : -0.125 * j;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
    double det = 1;
    for (int p = 0; p < N; p++) {
        det *= c[p][p];
        for (int i = p + 1; i < N; i++) {
            double f = c[i][p] / c[p][p];
            for (int j = p; j < N; j++)
                c[i][j] -= f * c[p][j];
        }
    }
    printf("%.17g\n", det);
    float y = 0;
    for (int i = 3; i >= 0; i--)
        y = y * 1.1f + poly[i];
    printf("%.9g\n", y);
    return 0;
}
