#include <stdio.h>
#include <math.h>
#include <float.h>
#include <stdarg.h>
#include <string.h>
typedef struct { float x, y, z; } V3;
typedef struct { double a; int n; } DI;
typedef struct { long double l; char c; } LD;
static double sum(int n, ...) { va_list ap; va_start(ap, n); double s = 0; for (int i = 0; i < n; i++) s += va_arg(ap, double); va_end(ap); return s; }
static long double lsum(int n, ...) { va_list ap; va_start(ap, n); long double s = 0; for (int i = 0; i < n; i++) { s += va_arg(ap, long double); s += va_arg(ap, int);} va_end(ap); return s; }
static V3 add(V3 a, V3 b) { V3 r = { a.x + b.x, a.y + b.y, a.z + b.z }; return r; }
static float vsum(int n, ...) { va_list ap; va_start(ap, n); float s = 0; for (int i = 0; i < n; i++) { V3 v = va_arg(ap, V3); s += v.x * 2 + v.y * 3 + v.z; DI d = va_arg(ap, DI); s += d.a + d.n; } va_end(ap); return s; }
static LD mk(long double l) { LD r; memset(&r, 0, sizeof r); r.l = l; r.c = 'x'; return r; }
int main(void) {
  double d = 0.1; float f = 0.1f; long double l = 0.1L;
  printf("%f %e %g %a\n", d, d, d, d);
  printf("%f %e %g %a\n", f, f, f, f);
  printf("%Lf %Le %Lg %La\n", l, l, l, l);
  for (int i = 0; i < 5; i++) { d = d * 3.7 + f; f = f / 3 - (float)d; l = l * d - f; }
  printf("%.17g %.9g %.21Lg\n", d, f, l);
  printf("%d %u %ld %lu %hhd\n", (int)d, (unsigned)d, (long)l, (unsigned long)d, (signed char)f);
  printf("%g\n", sum(4, 1.5, 2.5, 3.25, -7.125));
  printf("%Lg\n", lsum(3, 1.5L, 2, 2.5L, 3, 3.25L, 4));
  V3 v = { 1, 2, 3 }, w = { .5f, .25f, .125f };
  v = add(v, w);
  printf("%g %g %g\n", v.x, v.y, v.z);
  printf("%g\n", vsum(2, v, (DI){ 2.5, 7 }, w, (DI){ -1, 3 }));
  printf("%Lg %c\n", mk(3.5L).l, mk(1).c);
  double n = NAN, inf = INFINITY;
  printf("%d%d%d%d%d%d %d%d\n", n < d, n > d, n == n, n != n, n <= d, !(n >= d), isnan(n), isinf(inf));
  printf("%d %d %d %d %d\n", fpclassify(d), fpclassify(0.0), fpclassify(n), fpclassify(inf), fpclassify(DBL_MIN / 4));
  printf("%g %g %g %g %g %g\n", fabs(-d), floor(-1.5), ceil(-1.5), trunc(-1.5), rint(2.5), round(2.5));
  printf("%g %g %g %g\n", fmin(1, 2), fmax(n, 2), copysign(3, -1), nearbyint(3.5));
  printf("%Lg %Lg %Lg\n", fabsl(-l), floorl(-1.5L), rintl(2.5L));
  printf("%f\n", 0.0 / (d - d)); printf("%f\n", -inf);
  printf("[%10.3f] [%-10.2e] [%+g] [% g] [%010.2f] [%#g] [%G] [%.0f] [%5.1f%%]\n", d, d, d, d, -1.5, 1.0, 1e-10, 2.5, 99.44);
  __int128 big = (__int128)1 << 100; unsigned __int128 ub = ~(unsigned __int128)0;
  printf("%g %g %Lg\n", (double)big, (float)ub, (long double)-big);
  double bigd = 1e30; big = (__int128)bigd; printf("%llx %llx\n", (unsigned long long)(big >> 64), (unsigned long long)big);
  printf("%d %d\n", (_Bool)0.5, (_Bool)0.0);
  int x = 7; x *= 1.5; x += 0.75f; printf("%d\n", x);
  float arr[4] = { 1, 2, 3, 4 }; double t = 0; for (int i = 0; i < 4; i++) t += arr[i] * (i & 1 ? -1 : 1); printf("%g\n", t);
  union { double d; unsigned long u; } u; u.d = -2.5; printf("%lx\n", u.u);
  printf("%g %g\n", DBL_MAX, DBL_TRUE_MIN); printf("%Lg %Lg\n", LDBL_MAX, LDBL_MIN);
  return (int)(d) & 0x3f;
}
