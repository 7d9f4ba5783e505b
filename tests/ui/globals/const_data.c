//@ run: check
//@ revisions: wrong right
// Constant data and string literals may be read by all threads.
#include <assert.h>
#include <pthread.h>

static const int table[] = {3, 1, 2};

static int largest(void)
{
    int best = 0;
    for (unsigned i = 1; i < sizeof table / sizeof *table; i++)
        if (table[i] > table[best])
            best = (int)i;
    return best;
}

static void *worker(void *arg)
{
    assert(largest() == 0 && "literal"[3] == 'e');
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
#ifdef wrong
    assert(largest() == 2); //~[wrong] ASSERTION
#else
    assert(largest() == 0);
#endif
    pthread_join(t, NULL);
    return 0;
}
//~[right] SAFE executions=1
