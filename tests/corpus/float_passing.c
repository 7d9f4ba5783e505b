// Every way in which the ABI passes small structures of floats, and results in two registers.
#include <stdarg.h>
#include <stdio.h>
struct f1 { float a; };
struct f2 { float a, b; };
struct f3 { float a, b, c; };
struct f4 { float a, b, c, d; };
struct d2 { double a, b; };
struct d3 { double a, b, c; };
struct fi { float a; int b; };
struct di { double a; long b; };
struct fd { float a; double b; };
struct nest { struct f2 p; struct { float q; } r; };
static struct f1 m1(struct f1 x, float y) { return (struct f1){x.a * y}; }
static struct f2 m2(struct f2 x, float y) { return (struct f2){x.b * y, x.a}; }
static struct f3 m3(struct f3 x, float y) { return (struct f3){x.c * y, x.a, x.b}; }
static struct f4 m4(struct f4 x, float y) { return (struct f4){x.d * y, x.c, x.b, x.a}; }
static struct d2 n2(struct d2 x, double y) { return (struct d2){x.b * y, x.a}; }
static struct d3 n3(struct d3 x, double y) { return (struct d3){x.c * y, x.a, x.b}; }
static struct fi mi(struct fi x, int y) { return (struct fi){x.b * y, x.a}; }
static struct di ni(struct di x, long y) { return (struct di){x.b * y, x.a}; }
static struct fd mf(struct fd x) { return (struct fd){x.b, x.a}; }
static struct nest mn(struct nest x) { return (struct nest){{x.r.q, x.p.a}, {x.p.b}}; }
static double many(float a, double b, int c, float d, double e, float f, double g, float h, double i, float j, long k)
{
    return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11;
}
static double va(int n, ...)
{
    va_list l, m;
    va_start(l, n);
    va_copy(m, l);
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += va_arg(l, double) * va_arg(l, int);
        struct f3 x = va_arg(l, struct f3);
        struct d2 y = va_arg(l, struct d2);
        struct di z = va_arg(l, struct di);
        struct d3 w = va_arg(l, struct d3);
        s = s * 2 + x.a + x.b * 3 + x.c * 5 + y.a - y.b + z.a * z.b + w.c + va_arg(l, long double);
    }
    s += va_arg(m, double);
    va_end(l);
    va_end(m);
    return s;
}
int main(void)
{
    struct f4 q = m4((struct f4){1, 2, 3, 4}, 0.5f);
    struct f3 t = m3((struct f3){1, 2, 3}, 0.5f);
    struct f2 p = m2((struct f2){1, 2}, 0.25f);
    printf("%g %g %g %g %g %g %g %g %g\n", q.a, q.b, q.c, q.d, t.a, t.b, t.c, p.a, p.b);
    struct d3 d = n3((struct d3){1, 2, 3}, 1.5);
    struct d2 e = n2((struct d2){4, 5}, 1.5);
    printf("%g %g %g %g %g %g\n", d.a, d.b, d.c, e.a, e.b, m1((struct f1){7}, 3).a);
    struct fi i = mi((struct fi){2.75f, 3}, 7);
    struct di j = ni((struct di){2.75, 3}, 7);
    struct fd k = mf((struct fd){1.5f, 2.5});
    struct nest n = mn((struct nest){{1, 2}, {3}});
    printf("%g %d %g %ld %g %g %g %g %g\n", i.a, i.b, j.a, j.b, k.a, k.b, n.p.a, n.p.b, n.r.q);
    printf("%g\n", many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    printf("%g\n", va(2, 1.5, 2, t, e, j, d, 1.25L, -2.5, 3, t, e, j, d, -8.0L));
    return 0;
}
