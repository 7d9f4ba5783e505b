#include <stdio.h>
#include <complex.h>
typedef unsigned __int128 u128; typedef __int128 i128;
static void p(const char *n, u128 v) { printf("%s %016llx%016llx\n", n, (unsigned long long)(v >> 64), (unsigned long long)v); }
static int sw(i128 x) { switch (x) { case 1: return 10; case -5: return 20; case (i128)1 << 90: return 30; default: return 40; } }
static int run(int n) { static const void *t[] = { &&a, &&b, &&c, &&d }; static const int off[] = { &&b - &&a, &&c - &&a }; int acc = off[0] != 0; int i = 0;
  goto *t[n & 3]; a: acc += 1; if (++i > 3) goto *t[3]; b: acc *= 3; goto *t[(unsigned)(acc >> 1) % 4]; c: acc += 7; if (acc < 1000 && i++ < 9) goto *t[(unsigned)acc % 3]; d: return acc; }
static i128 va(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); i128 s = 0; while (n--) { s = s * 7 + __builtin_va_arg(l, int); s += __builtin_va_arg(l, i128); } __builtin_va_end(l); return s; }
int main(void) {
  u128 a = ((u128)0x123456789abcdef0 << 64) | 0xfedcba9876543210; u128 b = 0xdeadbeefcafebabe; i128 c = -(i128)a;
  p("mul", a * b); p("div", a / b); p("rem", a % b); p("shl", a << 77); p("shr", a >> 13); p("sar", c >> 99); p("sdiv", c / 12345); p("srem", c % 999999937); 
  printf("%d%d%d%d\n", a < b, c < 0, c > (i128)b, a != b); printf("%d %d %d %d\n", sw(1), sw(-5), sw((i128)1 << 90), sw(7));
  for (int i = 0; i < 5; i++) printf("%d ", run(i)); printf("\n");
  p("va", va(2, 5, (i128)77 << 66, 6, (i128)-3));
  int r; unsigned u; long l; printf("%d %d %d %d %d %d\n", __builtin_add_overflow(2147483647, 1, &r), r, __builtin_sub_overflow(3u, 5u, &u), u, __builtin_mul_overflow(1L << 62, 4L, &l), (int)l);
  i128 w; printf("%d ", __builtin_mul_overflow(c, c, &w)); p("w", w); printf("%d ", __builtin_add_overflow(c, (i128)1 << 127, &w)); p("w", w);
  printf("%d ", __builtin_add_overflow(-1L, 1UL, &u)); printf("%u\n", u);
  printf("%d %d %d %d %d\n", __builtin_popcount(0xf0f0), __builtin_clz(77), __builtin_ctz(96), __builtin_ffs(48), __builtin_parity(7));
  printf("%d %d %d\n", __builtin_popcountll(0xf0f0f0f0f0ULL), __builtin_clzll(77), __builtin_ctzll(1ull << 40));
  printf("%x %llx %x %x\n", __builtin_bswap32(0x12345678), (unsigned long long)__builtin_bswap64(0x123456789abcdefULL), __builtin_bswap16(0x1234), __builtin_bitreverse32(0x12345678));
  printf("%x %x\n", __builtin_rotateleft32(0x12345678, 8), __builtin_rotateright32(0x12345678, 4)); printf("%x\n", __builtin_rotateleft8(0x91, 3));
  printf("%d %d\n", __builtin_elementwise_add_sat(2147483600, 1000), __builtin_elementwise_sub_sat(-2147483600, 1000)); printf("%u %u\n", __builtin_elementwise_add_sat(4294967000u, 1000u), __builtin_elementwise_sub_sat(10u, 1000u));
  unsigned _BitInt(37) q = 0x1fffffffffwb; q += 5; printf("%llx\n", (unsigned long long)q); _BitInt(100) z = -5; z = z * 1000000007wb * 1000000009wb; z >>= 3; p("z", (u128)(i128)z); _BitInt(3) tiny = 3; tiny++; printf("%d\n", (int)tiny);
  double complex x = 1 + 2 * I, y = 3 - I; x = x + y * y; printf("%g %g\n", creal(x), cimag(x)); float complex fc = 1.5f * I; fc *= fc; printf("%g %g\n", crealf(fc), cimagf(fc)); printf("%d\n", x == y);
  int n = 5; int vla[n][n + 1]; for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) vla[i][j] = i * j; printf("%d %zu\n", vla[3][4], sizeof vla);
  struct { int n; short s[]; } *fl = __builtin_alloca(sizeof *fl + 8); fl->s[3] = 9; printf("%d\n", fl->s[3]);
  int *lit = (int[]){ 1, 2, 3 }; lit[1] = 7; printf("%d\n", lit[0] + lit[1] + lit[2]);
  if (__builtin_expect(n == 5, 1)) printf("%d %zd\n", __builtin_constant_p(n), (long)__builtin_object_size(lit, 0) > 0);
  return 7;
}
