//@ run: check
//@ revisions: none barrier
// Each thread writes its own element, then reads all. The barrier comes between. With three threads that do not look who
// the serial one is, there is one execution: in which order they arrive makes no difference.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t phase;
static int part[3], sum[3];

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    part[me] = me + 1; //~[none] RACE@part write
#ifdef barrier
    pthread_barrier_wait(&phase);
#endif
    for (int i = 0; i < 3; i++)
        sum[me] += part[i]; //~[none] RACE@part read
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_barrier_init(&phase, NULL, 3);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
#ifdef barrier
    assert(sum[0] == 6 && sum[1] == 6 && sum[2] == 6);
#endif
    pthread_barrier_destroy(&phase);
    return 0;
}
//~[barrier] SAFE executions=1
