//@ run: check --memory=sc
//@ revisions: wrong right
// SV-COMP's names work as they are: inputs of each type, assumptions, atomic sections, and an error function that asserts.
// The two atomic sections of the twin have two orders.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);


void reach_error(void)
{
    assert(0); //~[wrong] ASSERTION
}

static int x;

static void *worker(void *arg)
{
    __VERIFIER_atomic_begin();
    x = x + 1;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t t;
    int k = __VERIFIER_nondet_int();
    unsigned char c = __VERIFIER_nondet_uchar();
    _Bool b = __VERIFIER_nondet_bool();
    pthread_create(&t, NULL, worker, NULL);
    __VERIFIER_atomic_begin();
    x = x + 1;
    __VERIFIER_atomic_end();
    pthread_join(t, NULL);
#ifdef wrong
    if ((k == 7) & (c == 200) & b)
        reach_error();
#else
    if (x != 2)
        reach_error();
    (void)k;
    (void)c;
    (void)b;
#endif
    return 0;
}
//~[right] SAFE executions=2
