//@ run: check
//@ revisions: default apart
//@[apart] flags: --merge never
// An address is not merged, nor is what becomes an index or a floating-point number: too many could not be told apart again.
#include <raddle.h>

static int x, y, z, table[1024];
static double d;

int main(void)
{
    int a, b, bit[9];
    unsigned n = 0;
    char *p = 0;
    raddle_symbolic(&a, sizeof a, "a");
    raddle_symbolic(&b, sizeof b, "b");
    raddle_symbolic(bit, sizeof bit, "bit");
    for (int i = 0; i < 9; i++)
        if (bit[i] > 0)
            n += 1u << i;
    if (bit[0] == 5)
        d = n;
    y = table[n];
    if (a > 0)
        p = (char *)16;
    if (b > 3)
        z = 1;
    if (b > 7)
        z = 2;
    if (b > 9)
        x = 3;
    return *p; //~ NULL_DEREFERENCE
}
