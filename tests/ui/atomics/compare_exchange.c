//@ run: check
//@ revisions: wrong right
// A compare and exchange stores what it saw when it fails. Two of them on one object: two executions,
// in each of which the second fails.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;
static int winners[2];

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    int seen = 0;
    if (atomic_compare_exchange_strong(&owner, &seen, me))
        winners[me - 1] = 1;
    else
        assert(seen == 3 - me);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(winners[0] + winners[1] == 1);
#ifdef wrong
    assert(winners[0] == 1); //~[wrong] ASSERTION
#endif
    return 0;
}
//~[right] SAFE executions=2
