#include "figure1.h"
#include <assert.h>
int main(void)
{
    struct lib *l = lib_new();
    struct counter *c = counter_new();
    lib_set(l, c);
    lib_update(l);
    assert(c->count == 1);
    return 0;
}
