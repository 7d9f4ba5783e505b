//@ run: check
//@ revisions: write_over read_over copy_over fits
// Heap objects have the size that was asked for; realloc moves the old bytes and changes the bound.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *p = malloc(8), big[16] = {0};
#ifdef write_over
    p[8] = 1; //~[write_over] OUT_OF_BOUNDS
#endif
    p[7] = 1;
    p = realloc(p, 12);
    assert(p[7] == 1);
#ifdef read_over
    long tail;
    tail = *(long *)(p + 8); //~[read_over] OUT_OF_BOUNDS
    (void)tail;
#endif
#ifdef copy_over
    memcpy(p, big, sizeof big); //~[copy_over] OUT_OF_BOUNDS
#else
    memcpy(p, big, 12);
#endif
    free(p);
    return 0;
}
//~[fits] SAFE executions=1
