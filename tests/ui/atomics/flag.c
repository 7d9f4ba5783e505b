//@ run: check
//@ revisions: none flag
// atomic_flag as a lock that is tried once. Executions of the twin: either thread first and done before the other
// tries (2), or the other tries and fails in between (2).
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int data;

static void *worker(void *arg)
{
#ifdef flag
    if (atomic_flag_test_and_set(&busy))
        return arg;
#endif
    data = 1; //~[none] RACE write/write
#ifdef flag
    atomic_flag_clear(&busy);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[flag] SAFE executions=4
