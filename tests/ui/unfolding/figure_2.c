//@ run: check
//@ revisions: visited dpor unfolding cut told
//@[visited] flags: --spurious 0
//@[dpor] flags: --spurious 0 --strategy dpor
//@[unfolding] flags: --spurious 0 --strategy unfolding --no-cutoffs
//@[cut] flags: --spurious 0 --strategy unfolding
//@[told] flags: --spurious 0 --strategy unfolding --no-cutoffs
// SPOE, figure 2: four executions. Where the signal comes first and the input is negative, it is lost, and nobody ends the wait. In the twin
// who waits looks first whether it is needed.
#include <pthread.h>

void raddle_symbolic(void *at, unsigned long size, const char *name);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int x, y, is_told;

static void *waits(void *arg)
{
    raddle_symbolic(&x, sizeof x, "in");
    pthread_mutex_lock(&m);
#ifdef told
    if (x < 0 && !is_told)
#else
    if (x < 0)
#endif
        pthread_cond_wait(&c, &m); //~[visited,dpor,unfolding,cut] DEADLOCK
    pthread_mutex_unlock(&m);
    return arg;
}

static void *signals(void *arg)
{
    y = 1;
    pthread_mutex_lock(&m);
    is_told = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, waits, 0);
    pthread_create(&threads[1], 0, signals, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
//~[told] SAFE executions=4
