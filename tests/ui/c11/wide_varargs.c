//@ run: check
// Structures among variable arguments lie in memory as long as they are.
#include <assert.h>
#include <stdarg.h>

struct big {
    long a, b, c;
};
struct two {
    long a, b;
};

static long sum(int n, ...)
{
    va_list list;
    va_start(list, n);
    long total = 0;
    for (int i = 0; i < n; i++)
        total += va_arg(list, int);
    struct big big = va_arg(list, struct big);
    struct two two = va_arg(list, struct two);
    va_end(list);
    return total + big.a + big.b + big.c + two.a + two.b;
}

int main(void)
{
    assert(sum(6, 1, 1, 1, 1, 1, 1, (struct big){1, 2, 3}, (struct two){4, 5}) == 21);
    assert(sum(0, (struct big){1, 2, 3}, (struct two){4, 5}) == 15);
    return 0;
}
//~ SAFE executions=1
