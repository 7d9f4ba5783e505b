//@ run: check
//@ revisions: once loop
// The weak form may fail though the values are equal: outside of a loop that loses the update.
#include <assert.h>
#include <stdatomic.h>

int main(void)
{
    atomic_int x = 1;
    int seen = 1;
#ifdef loop
    for (int i = 0; i < 3; i++) {
        if (atomic_compare_exchange_weak(&x, &seen, 2))
            break;
        assert(seen == 1);
    }
    assert(atomic_load(&x) <= 2);
#else
    atomic_compare_exchange_weak(&x, &seen, 2);
    assert(atomic_load(&x) == 2); //~[once] ASSERTION
#endif
    return 0;
}
//~[loop] SAFE
