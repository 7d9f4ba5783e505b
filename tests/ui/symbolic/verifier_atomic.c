//@ run: check
//@ revisions: sections functions
// SV-COMP's atomic sections, which are not supported: neither a race in one nor its absence is claimed.
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static int x;

static void __VERIFIER_atomic_add(int by)
{
    x += by;
}

static void add(void)
{
#ifdef sections
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_end();
#else
    __VERIFIER_atomic_add(1);
#endif
}

static void *worker(void *arg)
{
    add();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    add();
    return pthread_join(t, NULL);
}
//~ INCONCLUSIVE ledger=unsupported
