//@ run: check
//@ revisions: address value
// The address of a loop variable as the argument of threads: they read it while the loop goes on.
#include <pthread.h>

static void *worker(void *arg)
{
#ifdef address
    int me = *(int *)arg; //~[address] RACE@loop read
#else
    int me = (int)(long)arg;
#endif
    (void)me;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int i;
    for (i = 0;
         i < 2;
         i++) { //~[address] RACE@loop write
#ifdef address
        pthread_create(&t[i], NULL, worker, &i);
#else
        pthread_create(&t[i], NULL, worker, (void *)(long)i);
#endif
    }
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
//~[value] SAFE executions=1
