//@ run: check
//@ revisions: assumption failure
// In programs with SV-COMP's names abort() says that an assumption does not hold; elsewhere it is a failure.
#include <stdlib.h>

#ifdef assumption
extern int __VERIFIER_nondet_int(void);
#else
#include "raddle.h"
static int __attribute__((noinline)) any(void)
{
    int value;
    raddle_symbolic(&value, sizeof value, "value");
    return value;
}
#define __VERIFIER_nondet_int any
#endif

int main(void)
{
    if (__VERIFIER_nondet_int() != 3)
        abort(); //~[failure] ASSERTION
    return 0;
}
//~[assumption] SAFE executions=1
