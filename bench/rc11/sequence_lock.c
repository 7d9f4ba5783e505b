// variants: acquires=robust fences=weak none=weak
// A writer counts before and after it writes; who reads looks at the count before and after, and takes nothing if it has changed (Boehm, MSPC 2012).
// With fences alone it may see numbers that no interleaving shows together, but takes none of them: that is weak all the same.
#include "harness.h"

#ifdef acquires
#define DATA ACQUIRE
#else
#define DATA RELAXED
#endif

static atomic_uint sequence;
static atomic_int one, two;

static void *writer(void *argument)
{
    for (int i = 1; i <= 2; i++) {
        unsigned before = atomic_load_explicit(&sequence, RELAXED);
        atomic_store_explicit(&sequence, before + 1, RELAXED);
#ifndef none
        atomic_thread_fence(RELEASE);
#endif
        atomic_store_explicit(&one, i, RELAXED);
        atomic_store_explicit(&two, i, RELAXED);
        atomic_store_explicit(&sequence, before + 2, RELEASE);
    }
    return argument;
}

static void *reader(void *argument)
{
    unsigned before = atomic_load_explicit(&sequence, ACQUIRE);
    int first = atomic_load_explicit(&one, DATA);
    int second = atomic_load_explicit(&two, DATA);
#ifndef none
    atomic_thread_fence(ACQUIRE);
#endif
    unsigned after = atomic_load_explicit(&sequence, RELAXED);
    if (before % 2 == 0 && before == after && first != second)
        abort();
    return argument;
}

int main(void)
{
    RUN(writer, reader);
    return 0;
}
