//@ run: check --fail-alloc
//@ revisions: wrong right
// An allocation that fails says why; one that succeeds leaves `errno` alone.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int main(void)
{
    errno = 5;
    void *block = malloc(8);
#ifdef wrong
    assert(block || errno == 5); //~[wrong] ASSERTION
#else
    assert(errno == (block ? 5 : ENOMEM));
#endif
    free(block);
    return 0;
}
//~[right] SAFE executions=2
