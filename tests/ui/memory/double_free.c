//@ run: check
//@ revisions: twice once
// Freeing the same object again; free(NULL) does nothing.
#include <stdlib.h>

int main(void)
{
    char *p = malloc(3);
    free(p);
#ifdef once
    p = NULL;
#endif
    free(p); //~[twice] DOUBLE_FREE
    return 0;
}
//~[once] SAFE executions=1
