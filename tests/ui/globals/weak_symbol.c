//@ run: check
//@ revisions: absent present
// Whether a weak symbol is there that the sources do not define is for libraries to say: that is no guess of raddle's.
#include <assert.h>

__attribute__((weak)) int hook(int);
#ifdef present
int hook(int x)
{
    return x + 1;
}
#endif

int main(void)
{
    if (hook)
        assert(hook(1) == 2);
    return 0;
}
//~[absent] INCONCLUSIVE ledger=unsupported
//~[present] SAFE executions=1
