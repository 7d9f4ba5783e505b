//@ run: check
//@ revisions: faulty fixed early
// Destructors run when `main` returns or `exit` is called, the highest priority first and, of one priority, the last one
// first; `_exit` runs none.
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

static int order;

__attribute__((destructor)) static void second(void)
{
    assert(order == 1);
    order = 2;
}

__attribute__((destructor)) static void first(void)
{
    assert(order == 0);
    order = 1;
}

__attribute__((destructor(200))) static void last(void)
{
#ifdef faulty
    assert(order != 2); //~[faulty] ASSERTION
#else
    assert(order == 2);
#endif
}

int main(void)
{
#ifdef fixed
    exit(0);
#elif defined(early)
    order = 7;
    _exit(0);
#endif
    return 0;
}
//~[fixed] SAFE executions=1
//~[early] SAFE executions=1
