//@ run: check
//@ revisions: none one locked
//@[none] flags: --preemptions 0
//@[one,locked] flags: --preemptions 1
// The accesses of a race are unordered whoever runs first, so it is found without a preemption. That an update gets lost
// needs one between the read and the write, which is possible once the race has made them visible.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *worker(void *arg)
{
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    hits++; //~[none,one] RACE read/write //~[none,one] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&lock);
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
    assert(hits == 2); //~[one] ASSERTION
    return 0;
}
//~[none] FINDINGS executions=2
//~[one] FINDINGS executions=4
//~[locked] SAFE executions=2
