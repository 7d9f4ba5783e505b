//@ run: check
//@ revisions: returns exits wrong
// The program's own exit status is no finding; exit ends it at once.
#include <assert.h>
#include <stdlib.h>

static void leave(void)
{
#ifdef exits
    exit(3);
#endif
}

int main(void)
{
    leave();
#ifdef returns
    return 7;
#endif
    assert(0); //~[wrong] ASSERTION
    return 0;
}
//~[returns,exits] SAFE executions=1
