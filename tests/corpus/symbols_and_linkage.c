// Static and thread-local variables, aliases, weak symbols, sections, inline functions, function pointers.
#include <stdio.h>
static _Thread_local int per_thread = 5;
static int *location(void) { return &per_thread; }
static int counter(void)
{
    static int calls = 10;
    static _Thread_local long more;
    more += calls;
    return ++calls + (int)more;
}
int real(int x) { return x * 3; }
extern int also(int) __attribute__((alias("real")));
int shared = 7;
extern int other __attribute__((alias("shared")));
__attribute__((weak)) int surely(void) { return 4; }
__attribute__((section("special"))) int placed = 6;
static inline int small(int x) { return x + 1; }
__attribute__((always_inline)) static inline int always(int x) { return small(x) * 2; }
__attribute__((noinline, pure)) static int pick(int (*f)(int), int x) { return f(x); }
static int (*const choices[3])(int) = {real, small, always};
static int (*select(int i))(int) { return choices[i]; }
int main(void)
{
    *location() += 2;
    int *p = &per_thread;
    printf("%d %d %d %d\n", per_thread, *p, counter(), counter());
    other++;
    printf("%d %d %d %d %d\n", also(2), shared, shared > 0, surely(), placed);
    for (int i = 0; i < 3; i++)
        printf("%d ", pick(select(i), i + 1));
    printf("%s %d\n", __func__, select(1) == small);
    return shared;
}
