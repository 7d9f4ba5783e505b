//@ run: check
//@ revisions: taken untaken
// `setjmp` comes back once; a jump is beyond what is explored, and the ledger names it.
#include <setjmp.h>
#include <signal.h>

static jmp_buf buffer;

static int checked(int value)
{
    if (value > 3)
        longjmp(buffer, 1);
    return value + 1;
}

int main(void)
{
    if (setjmp(buffer) != 0)
        return 1;
#ifdef taken
    return checked(7);
#else
    return checked(2) - 3;
#endif
}
//~[taken] INCONCLUSIVE ledger=external_call
//~[untaken] SAFE executions=1
