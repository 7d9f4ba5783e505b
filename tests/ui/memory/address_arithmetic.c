//@ run: check
//@ revisions: tag hash order
// Tag bits of a pointer are exact: they lie below its alignment. What else is computed with an address holds for one layout
// of memory only.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
    int *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    *a = 1;
    *b = 2;
#ifdef tag
    uintptr_t marked = (uintptr_t)a | 1;
    assert((marked & 1) == 1);
    assert(*(int *)(marked & ~(uintptr_t)1) == 1);
#elif defined(hash)
    assert(((uintptr_t)a >> 4) % 7 != 3 || *a == 1);
#else
    assert(a < b || *b == 2);
#endif
    free(a);
    free(b);
    return 0;
}
//~[tag] SAFE
//~[hash,order] INCONCLUSIVE ledger=concretized
