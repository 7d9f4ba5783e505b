//@ run: check
//@ revisions: right wrong
// Names of threads are compared as what they are, numbers that nobody need know.
#include <assert.h>
#include <pthread.h>
#include <raddle.h>

static pthread_t kept;
static int owned;

static int is_owner(pthread_t one)
{
    return owned && pthread_equal(kept, one);
}

int main(void)
{
    pthread_t one, other;
    raddle_symbolic(&one, sizeof one, "one");
    raddle_symbolic(&other, sizeof other, "other");
    kept = one;
    owned = 1;
#ifdef wrong
    assert(!is_owner(other)); //~[wrong] ASSERTION
#else
    assert(is_owner(other) == (one == other));
    assert(is_owner(one));
#endif
    return 0;
}
//~[right] SAFE
