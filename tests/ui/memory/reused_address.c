//@ run: check
//@ revisions: stale fresh
// Memory that was handed out again: the old pointer dangles whatever address the new object has.
#include <stdlib.h>

int main(void)
{
    int *old = malloc(sizeof *old);
    free(old);
    int *new = malloc(sizeof *new);
    *new = 5;
#ifdef stale
    int r = *old; //~[stale] USE_AFTER_FREE
#else
    int r = *new;
#endif
    free(new);
    return r - 5;
}
//~[fresh] SAFE executions=1
