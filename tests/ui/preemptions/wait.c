//@ run: check
//@ revisions: none unbounded faulty
//@[none,faulty] flags: --preemptions 0
// A thread that waits for a signal cannot go on, though it might wake up spuriously: leaving it is no preemption. With C
// for the consumer up to its wait or its end, P for the producer and S for what follows a spurious wake-up up to the
// next wait or the end, the traces are PC, CPC, CSPC and CPS. None needs a preemption.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *producer(void *arg)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *consumer(void *arg)
{
    int waits = 0;
    pthread_mutex_lock(&lock);
    while (!ready) {
        pthread_cond_wait(&changed, &lock);
        waits++;
    }
    pthread_mutex_unlock(&lock);
#ifdef faulty
    assert(waits != 1); //~[faulty] ASSERTION
#endif
    return arg;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
//~[none,unbounded] SAFE executions=4
