//@ run: check
//@ revisions: read write call fine
// Reading, writing and passing to the library what has been freed, in one thread.
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int *p = malloc(sizeof *p), r = 0;
    *p = 1;
#ifdef fine
    r = *p;
    *p = 2;
    memset(p, 0, sizeof *p);
#endif
    free(p);
#if defined read
    r = *p; //~[read] USE_AFTER_FREE
#elif defined write
    *p = 2; //~[write] USE_AFTER_FREE
#elif defined call
    memset(p, 0, sizeof *p); //~[call] USE_AFTER_FREE
#endif
    return r - 1;
}
//~[fine] SAFE executions=1
