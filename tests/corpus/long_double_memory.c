// long double in structures, arrays, unions, parameters and results.
#include <complex.h>
#include <stdio.h>
#include <string.h>
struct mixed {
    char c;
    long double l;
    short s;
};
union view {
    long double l;
    unsigned char b[10];
};
static long double table[3] = {1.5L, -2.25L, 0x1.8p-16000L};
static struct mixed make(long double l, int n)
{
    struct mixed m = {n, l * n, -n};
    return m;
}
static long double take(struct mixed m, long double (*f)(long double, float)) { return f(m.l, m.c) + m.s; }
static long double plus(long double a, float b) { return a + b; }
int main(void)
{
    union view v = {.l = 3.14159265358979323846L};
    unsigned sum = 0;
    for (int i = 0; i < 10; i++)
        sum = sum * 31 + v.b[i];
    printf("%u\n", sum);
    struct mixed m = make(2.5L, 3), copy;
    memcpy(&copy, &m, sizeof m);
    printf("%Lg %d %d %Lg\n", copy.l, copy.c, copy.s, take(m, plus));
    for (int i = 0; i < 3; i++)
        printf("%La %.3Le\n", table[i], table[i] * table[i]);
    long double complex z = 1 + 2 * I;
    z = z * z;
    printf("%Lg %Lg\n", creall(z), cimagl(z));
    long double *p = &table[1];
    *p += 1;
    p[1] = *p / 3;
    printf("%.21Lg\n", table[2]);
    return (int)take(m, plus);
}
