//@ run: check
//@ revisions: wrong right
// KLEE's names work as they are.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

void klee_make_symbolic(void *addr, size_t nbytes, const char *name);
void klee_assume(uintptr_t condition);

int main(void)
{
    int x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x >= 0);
#ifdef wrong
    assert(x != 1234); //~[wrong] ASSERTION inputs=x
#else
    assert(x != -1234);
#endif
    return 0;
}
//~[right] SAFE
