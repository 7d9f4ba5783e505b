//@ run: check
//@ revisions: asserts empty declared not_called asked_otherwise all
//@[asserts] flags: --property auxiliary/reach.prp
//@[empty] flags: --property auxiliary/reach.prp
//@[declared] flags: --property auxiliary/reach.prp
//@[not_called] flags: --property auxiliary/reach.prp
//@[asked_otherwise] flags: --property data-race
// To call SV-COMP's error function is the failure that a property file asks about, whatever that function does: most programs define one.
// Where something else is asked for, it does what it does.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#ifdef declared
extern void reach_error(void);
#elif defined asserts || defined not_called || defined all
void reach_error(void)
{
    assert(0); //~[all] ASSERTION
}
#else
void reach_error(void)
{
}
#endif

static int x;

static void *adds(void *arg)
{
#ifdef asked_otherwise
    x = 1; //~[asked_otherwise] RACE
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    int n = __VERIFIER_nondet_int();
    pthread_create(&thread, NULL, adds, NULL);
    if (n == 3) {
#ifndef not_called
        reach_error(); //~[asserts,empty,declared] ASSERTION
#endif
    }
#ifdef not_called
    assert(n != 7);
#endif
#ifdef asked_otherwise
    if (n == 3)
        x = 2; //~[asked_otherwise] RACE write
#endif
    pthread_join(thread, NULL);
    return 0;
}
//~[not_called] SAFE
