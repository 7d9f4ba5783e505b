//@ run: check
//@ revisions: freed kept_old twice
// The GNU C library's realloc frees where nothing is asked for, and returns null.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    int *q = realloc(p, 0);
    assert(!q);
#if defined kept_old
    if (!q)
        *p = 2; //~[kept_old] USE_AFTER_FREE
#elif defined twice
    free(p); //~[twice] DOUBLE_FREE
#endif
    return 0;
}
//~[freed] SAFE
