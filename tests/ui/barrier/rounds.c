//@ run: check
//@ revisions: once twice
// Reading a neighbour's element and then writing one's own takes a second barrier.
#include <pthread.h>

static pthread_barrier_t phase;
static int cell[2];

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 2; i++) {
        cell[me] = i; //~[once] RACE@cell write
        pthread_barrier_wait(&phase);
        int other = cell[1 - me]; //~[once] RACE@cell read
        (void)other;
#ifdef twice
        pthread_barrier_wait(&phase);
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&phase, NULL, 2);
    pthread_create(&a, NULL, worker, (void *)0);
    pthread_create(&b, NULL, worker, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[twice] SAFE executions=1
