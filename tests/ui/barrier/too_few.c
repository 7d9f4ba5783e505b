//@ run: check
//@ revisions: three two
// Two threads wait at a barrier for three; with two of three through it, the third waits for ever.
#include <pthread.h>

static pthread_barrier_t phase;

static void *worker(void *arg)
{
    pthread_barrier_wait(&phase); //~ DEADLOCK
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
#ifdef three
    pthread_barrier_init(&phase, NULL, 3);
#else
    pthread_barrier_init(&phase, NULL, 2);
    pthread_create(&c, NULL, worker, NULL);
#endif
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    (void)c;
    return 0;
}
