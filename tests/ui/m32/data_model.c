//@ run: check
//@ revisions: narrow wide
//@[narrow] flags: --data-model ilp32
//@[wide] flags: --data-model lp64
// The sizes of types by name, without a flag for clang.
#include <assert.h>

int main(void)
{
    assert(sizeof(long) == 4 && sizeof(void *) == 4); //~[wide] ASSERTION
    return 0;
}
//~[narrow] SAFE
