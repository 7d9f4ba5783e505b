//@ run: check --memory=sc
//@ revisions: outside sections functions
// SV-COMP's atomic sections and functions: nobody else does anything in between. Executions of the twins: the orders of two
// sections.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static int x;

static void __VERIFIER_atomic_add(int by)
{
    int old = x;
    x = old + by;
}

static void add(void)
{
#ifdef functions
    __VERIFIER_atomic_add(1);
#else
    __VERIFIER_atomic_begin();
#ifdef outside
    int old = x; //~[outside] RACE@x read
    __VERIFIER_atomic_end();
    x = old + 1; //~[outside] RACE@x write //~[outside] RACE write/write
#else
    int old = x;
    x = old + 1;
    __VERIFIER_atomic_end();
#endif
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
    pthread_join(t, NULL);
    assert(x == 2); //~[outside] ASSERTION
    return 0;
}
//~[sections] SAFE executions=2
//~[functions] SAFE executions=2
