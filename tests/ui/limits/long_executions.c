//@ run: check --strategy dpor --unroll 1000000 --max-time 20 --stop-on-finding
//@ revisions: faulty fixed
// An execution of tens of thousands of steps is over soon: what a step depends on is looked for no further than something is
// left that is not ordered before it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static atomic_int mine[2];

static void *work(void *which)
{
#ifdef faulty
    for (int i = 0; i < 16000; i++) {
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
    (void)which;
#else
    for (int i = 0; i < 600; i++)
        atomic_fetch_add((atomic_int *)which, 1);
#endif
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, &mine[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(sum != 32000); //~[faulty] ASSERTION
    return 0;
}
//~[fixed] SAFE
