//@ run: check
//@ revisions: beyond within null
//@ flags: --property data-race
// Behind an access out of bounds anything may follow, also a race: nothing is safe there. A null pointer ends the program.
#include <pthread.h>

static int cells[4], *none, shared;

static void *sets(void *arg)
{
    shared = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, sets, 0);
    int *end = cells;
#ifdef beyond
    end[4] = 1;
#elif defined null
    *none = 1;
    shared = 2;
#else
    end[3] = 1;
#endif
    pthread_join(thread, 0);
    return shared;
}
//~[beyond] INCONCLUSIVE ledger=cut_by_failure
//~[within,null] SAFE
