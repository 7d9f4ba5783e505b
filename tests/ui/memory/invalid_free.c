//@ run: check
//@ revisions: stack global interior nowhere start
// Only what malloc returned may be freed, and only by its first byte.
#include <stdlib.h>

static int variable;

int main(void)
{
    int local = 0;
    int *p = malloc(2 * sizeof *p), *q = p;
#if defined stack
    q = &local;
#elif defined global
    q = &variable;
#elif defined interior
    q = p + 1;
#elif defined nowhere
    q = (int *)((unsigned long)p + (1ul << 40));
#endif
    free(q); //~[stack,global,interior,nowhere] INVALID_FREE
    return local + variable;
}
//~[start] SAFE executions=1
