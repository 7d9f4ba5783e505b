//@ run: check --unroll 128
// The racing threads come after eighty others, natively too.
#include <pthread.h>

static int x;

static void *idle(void *arg)
{
    return arg;
}

static void *worker(void *arg)
{
    x = 1; //~ RACE write/write
    return arg;
}

int main(void)
{
    pthread_t others[80], one, two;
    for (int i = 0; i < 80; i++)
        pthread_create(&others[i], NULL, idle, NULL);
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    for (int i = 0; i < 80; i++)
        pthread_join(others[i], NULL);
    return 0;
}
//~ FINDINGS executions=2
