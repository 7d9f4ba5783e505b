//@ run: check
//@ revisions: reached excluded
// What the program promises never to reach.
#include <raddle.h>

static int name(int k)
{
    switch (k) {
    case 0: return 'a';
    case 1: return 'b';
    }
    __builtin_unreachable(); //~[reached] UNREACHABLE_REACHED
}

int main(void)
{
    int k;
    raddle_symbolic(&k, sizeof k, "k");
#ifdef excluded
    raddle_assume(k == 0 || k == 1);
#else
    raddle_assume(k >= 0 && k <= 2);
#endif
    return name(k) == 0;
}
//~[excluded] SAFE
