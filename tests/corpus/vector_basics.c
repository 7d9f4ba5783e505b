#include <stdio.h>
typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d4 __attribute__((vector_size(32)));
typedef unsigned char b16 __attribute__((vector_size(16)));
typedef short s8 __attribute__((vector_size(16)));
static v4 addv(v4 a, v4 b) { return a + b * 2; }
static void show(const char *n, v4 v) { printf("%s %d %d %d %d\n", n, v[0], v[1], v[2], v[3]); }
int main(void) {
  v4 a = { 1, 2, 3, 4 }, b = { 10, -20, 30, -40 };
  show("add", addv(a, b)); show("cmp", a < b); show("sel", (a & (a < b)) | (b & ~(a < b))); show("sh", a << 3 ^ b >> 1);
  show("div", b / a); show("rem", b % a); show("neg", -a); show("not", ~b);
  f4 f = { 1.5f, 2.5f, -3.5f, 4 }; f = f * f + 1.0f; printf("%g %g %g %g\n", f[0], f[1], f[2], f[3]);
  v4 c = __builtin_convertvector(f, v4); show("cvt", c);
  d4 d = { 1, 2, 3, 4 }; d /= 3; printf("%g %g %g %g\n", d[0], d[1], d[2], d[3]);
  b16 bytes = (b16)a; int s = 0; for (int i = 0; i < 16; i++) s += bytes[i] * (i + 1); printf("%d\n", s);
  bytes = bytes + 250; show("bytes", (v4)bytes);
  s8 h = (s8)b; h = h * 3; show("h", (v4)h);
  int k = s & 3; a[k] = 99; show("ins", a); printf("%d\n", a[(k + 1) & 3]);
  show("shuf", __builtin_shufflevector(a, b, 0, 5, 2, 7)); show("shuf2", __builtin_shufflevector(a, a, 3, 2, 1, 0));
  printf("%d %d %d\n", __builtin_reduce_add(a), __builtin_reduce_max(b), __builtin_reduce_xor(a));
  show("min", __builtin_elementwise_min(a, b)); show("abs", __builtin_elementwise_abs(b));
  unsigned __int128 w = (unsigned __int128)a; printf("%llx\n", (unsigned long long)(w >> 64));
  v4 arr[3] = { a, b, a + b }; v4 sum = { 0 }; for (int i = 0; i < 3; i++) sum += arr[i]; show("sum", sum);
  f4 z = { 0 }; printf("%d\n", (f > z)[2]);
  return 3;
}
