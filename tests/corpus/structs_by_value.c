// Structures of every size class by value: passed, returned, assigned, compared by parts, in unions and arrays.
#include <stdio.h>
#include <string.h>
#define DEFINE(N)                                                                                                      \
    struct s##N { unsigned char b[N]; };                                                                               \
    static struct s##N turn##N(struct s##N x, int by)                                                                  \
    {                                                                                                                  \
        struct s##N y;                                                                                                 \
        for (int i = 0; i < N; i++)                                                                                    \
            y.b[i] = x.b[(i + by) % N] + 1;                                                                            \
        return y;                                                                                                      \
    }                                                                                                                  \
    static unsigned sum##N(void)                                                                                       \
    {                                                                                                                  \
        struct s##N x;                                                                                                 \
        for (int i = 0; i < N; i++)                                                                                    \
            x.b[i] = i * 7;                                                                                            \
        struct s##N (*f)(struct s##N, int) = turn##N;                                                                  \
        x = turn##N(f(x, 1), 2);                                                                                       \
        unsigned s = 0;                                                                                                \
        for (int i = 0; i < N; i++)                                                                                    \
            s = s * 3 + x.b[i];                                                                                        \
        return s;                                                                                                      \
    }
DEFINE(1) DEFINE(2) DEFINE(3) DEFINE(4) DEFINE(5) DEFINE(7) DEFINE(8) DEFINE(9) DEFINE(12) DEFINE(15) DEFINE(16)
DEFINE(17) DEFINE(24) DEFINE(33) DEFINE(100) DEFINE(2000)
union u { struct s8 s; double d; long l; };
static union u flip(union u x) { x.l = ~x.l; return x; }
struct bits { unsigned a : 3, b : 7, c : 22; long long d : 50; signed e : 5; };
static struct bits step(struct bits x) { x.a++, x.b -= 3, x.c *= 5, x.d = -x.d, x.e--; return x; }
int main(void)
{
    printf("%u %u %u %u %u %u %u %u\n", sum1(), sum2(), sum3(), sum4(), sum5(), sum7(), sum8(), sum9());
    printf("%u %u %u %u %u %u %u %u\n", sum12(), sum15(), sum16(), sum17(), sum24(), sum33(), sum100(), sum2000());
    union u x = {.d = 2.5};
    printf("%lx %lx\n", x.l, flip(x).l);
    struct bits b = {7, 1, 1000, 1ll << 40, -16};
    b = step(step(b));
    printf("%u %u %u %lld %d\n", b.a, b.b, b.c, (long long)b.d, b.e);
    struct s5 list[3] = {{{1}}, [2] = {{9, 8, 7}}}, one = list[2];
    list[1] = one;
    printf("%d %d\n", list[1].b[1], memcmp(&list[1], &list[2], sizeof one));
    return 0;
}
