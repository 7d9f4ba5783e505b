//@ run: check
//@ revisions: circular ordered
// Three philosophers who all take the left fork first may each hold one and wait. With one order of the forks: two orders
// for each of the three forks, and of the eight combinations the two circular ones cannot be: six executions.
#include <pthread.h>

static pthread_mutex_t fork_lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int uses[3];

static void *philosopher(void *arg)
{
    int first = (int)(long)arg, second = (first + 1) % 3;
#ifdef ordered
    if (second < first) {
        second = first;
        first = 0;
    }
#endif
    pthread_mutex_lock(&fork_lock[first]);
    pthread_mutex_lock(&fork_lock[second]); //~[circular] DEADLOCK
    uses[first]++;
    uses[second]++;
    pthread_mutex_unlock(&fork_lock[second]);
    pthread_mutex_unlock(&fork_lock[first]);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return uses[0] + uses[1] + uses[2] - 6;
}
//~[ordered] SAFE executions=6
