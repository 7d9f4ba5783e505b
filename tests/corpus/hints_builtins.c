// Hints to the compiler change nothing.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
static int f(int x)
{
    if (__builtin_expect(x > 3, 0))
        return 1;
    __builtin_assume(x <= 3);
    return __builtin_expect_with_probability(x == 2, 1, 0.9) ? 2 : 3;
}
static int g(int x)
{
    switch (x) {
    case 0: return 5;
    case 1: return 6;
    }
    __builtin_unreachable();
}
int main(void)
{
    int a[4] = {1, 2, 3, 4};
    __builtin_prefetch(a);
    __builtin_prefetch(a + 1, 1, 3);
    int *p = __builtin_assume_aligned(a, 4);
    printf("%d %d %d %d %d\n", f(1), f(2), f(9), g(0), g(1));
    printf("%d %d\n", p[2], __builtin_choose_expr(1, 7, "no"));
    printf("%zu %d\n", __builtin_object_size(a, 0), __builtin_types_compatible_p(int, long));
    printf("%zu\n", offsetof(struct { char c; double d; }, d));
    volatile int v = 3;
    v += v;
    __asm__ volatile("" ::: "memory");
    {
        int local = 5;
        int *q = &local;
        printf("%d\n", *q + v);
    }
    return _Generic(a[0], int: 11, default: 12);
}
