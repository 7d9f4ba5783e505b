//@ run: check
//@ revisions: reached safe
// Constructors run before main, by ascending priority.
#include <assert.h>

static int order, state;

__attribute__((constructor(200))) static void later(void)
{
    state = order * 10 + 2;
}

__attribute__((constructor(101))) static void earlier(void)
{
    order = 1;
}

int main(void)
{
#ifdef reached
    assert(state != 12); //~[reached] ASSERTION
#else
    assert(state == 12);
#endif
    return 0;
}
//~[safe] SAFE
