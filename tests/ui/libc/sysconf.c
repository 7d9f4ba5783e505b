//@ run: check
//@ revisions: right changes
// What the system says of itself does not change while a process lives, and is no less than it ever is.
#include <assert.h>
#include <unistd.h>

int main(void)
{
    long stack = sysconf(_SC_THREAD_STACK_MIN);
#ifdef right
    assert(stack >= 16384 && stack == sysconf(_SC_THREAD_STACK_MIN));
    assert(sysconf(_SC_ARG_MAX) == sysconf(_SC_ARG_MAX));
    assert(sysconf(100000) == -1); //~[right] SAFE
#else
    assert(stack == 16384); //~[changes] ASSERTION inputs=sysconf
    assert(sysconf(_SC_AVPHYS_PAGES) == sysconf(_SC_AVPHYS_PAGES)); //~[changes] ASSERTION
#endif
    return 0;
}
