//@ run: check
//@ revisions: two first right
// Any of the threads may be the serial one, one of them is: it alone may write. Executions of the twin: either of them.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t phase;
static int leaders;

static void *worker(void *arg)
{
    int r = pthread_barrier_wait(&phase);
    assert(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
#ifdef two
    leaders++; //~[two] RACE read/write //~[two] RACE write/write
#else
    if (r == PTHREAD_BARRIER_SERIAL_THREAD)
        leaders++;
#endif
#ifdef first
    if (arg)
        assert(r == PTHREAD_BARRIER_SERIAL_THREAD); //~[first] ASSERTION
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&phase, NULL, 2);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, &leaders);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef right
    assert(leaders == 1);
#endif
    return 0;
}
//~[right] SAFE executions=2
