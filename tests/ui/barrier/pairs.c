//@ run: check
// Four threads and a barrier for two: any two of them make a pair, and the rest the other. Executions: which of the three
// others goes with the first, and which pair is first: 6.
#include <pthread.h>

static pthread_barrier_t pair;

static void *worker(void *arg)
{
    pthread_barrier_wait(&pair);
    return arg;
}

int main(void)
{
    pthread_t t[4];
    pthread_barrier_init(&pair, NULL, 2);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
//~ SAFE executions=6
