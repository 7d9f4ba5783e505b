//@ run: races --heaps reached
// Of a structure that a call returns the first pointer is passed on; that another is not is said.
#include <stdlib.h>

struct impl {
    int value;
};

struct made {
    int error;
    struct impl *impl;
};

struct made impl_new(void)
{
    struct impl *i = calloc(1, sizeof *i);
    return (struct made){ i ? 0 : -1, i };
}

int impl_kind(const struct impl *i)
{
    return i->value;
}
//~ INCONCLUSIVE ledger=unsupported
