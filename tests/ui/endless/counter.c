//@ run: check
//@ revisions: two three over
// A number modulo 8 that threads count up for ever. In the twin it is not reduced when it comes to 7 for the second time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef three
enum { N = 3 };
#else
enum { N = 2 };
#endif
static _Atomic int number;
#ifdef over
static _Atomic int rounds;
#endif

static void *worker(void *arg)
{
    for (;;) {
        int seen = number;
        assert(seen < 8); //~[over] ASSERTION
        int next = (seen + 1) % 8;
#ifdef over
        if (seen == 7 && rounds)
            next = 8;
#endif
        if (atomic_compare_exchange_strong(&number, &seen, next) && seen == 7) {
#ifdef over
            rounds = 1;
#endif
        }
    }
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
//~[two] SAFE
//~[three] SAFE
