//@ run: check
//@ revisions: wrong right
//@ also: auxiliary/extern.c
// Under check, globals start with their initialisers, also across files, and static locals keep their value.
#include <assert.h>
#include <stddef.h>

extern int imported[3];
extern const char *const name;
int exported = 4;
int next(void);

static struct {
    int zero;
    int *self;
} linked = {.self = &exported};

int main(void)
{
    assert(linked.zero == 0 && *linked.self == 4);
    assert(imported[0] == 1 && imported[2] == 0 && name[1] == 'k');
    assert(next() == 5);
#ifdef wrong
    assert(next() == 5); //~[wrong] ASSERTION
#else
    assert(next() == 6 && exported == 4);
#endif
    return 0;
}
//~[right] SAFE executions=1 paths=1
