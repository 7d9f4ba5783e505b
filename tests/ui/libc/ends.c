//@ run: check
//@ revisions: right wrong
// Handlers of the process's end run after main has returned, the last one first.
#include <assert.h>
#include <stdlib.h>

static int step;
static void last(void) { assert(step++ == 2); }
static void first(void)
{
#ifdef wrong
    assert(step++ == 2); //~[wrong] ASSERTION
#else
    assert(step++ == 1);
#endif
}

int main(void)
{
    atexit(last);
    atexit(first);
    step = 1;
    return 0;
}
//~[right] SAFE executions=1
