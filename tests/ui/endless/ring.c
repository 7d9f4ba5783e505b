//@ run: check
//@ revisions: fair skips unfolded missed
//@[unfolded,missed] flags: --strategy unfolding
// A token goes round for ever. In the twin the last thread loses it in the second round, and all wait.
#include <pthread.h>

enum { N = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int turn;
#if defined skips || defined missed
static int rounds;
#endif

static void *station(void *arg)
{
    int me = (int)(long)arg;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (turn != me)
            pthread_cond_wait(&passed, &lock); //~[skips,missed] DEADLOCK
        turn = (turn + 1) % N;
#if defined skips || defined missed
        if (me == N - 1 && ++rounds == 2)
            turn = N;
#endif
        pthread_cond_broadcast(&passed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, station, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
//~[fair,unfolded] SAFE
