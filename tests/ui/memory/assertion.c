//@ run: check
//@ revisions: fails disabled holds
//@[disabled] clang: -DNDEBUG
// assert.h, with the message of the program's own line; NDEBUG removes it.
#include <assert.h>
#include <raddle.h>

int main(void)
{
    int a, b;
    raddle_symbolic(&a, sizeof a, "a");
    raddle_symbolic(&b, sizeof b, "b");
#ifdef holds
    raddle_assume(a < 46341 && a > 0 && b < 46341 && b > 0);
#else
    raddle_assume(a < 70000 && a > 0 && b < 70000 && b > 0);
#endif
    assert((unsigned)a * (unsigned)b < 2147483648u); //~[fails] ASSERTION inputs=a,b
    return 0;
}
//~[disabled,holds] SAFE
