//@ run: check --spurious 0
//@ revisions: signalled unsignalled apart seen entered
// Two threads go in circles, one of them by waits with a time limit. That is a deadlock unless one of them does something that the
// other can see: a signal, or a number that it looks at, even one that is taken back.
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static const struct timespec soon;
static atomic_int done, rounds, flag;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
#if defined signalled || defined unsignalled
    while (pthread_cond_timedwait(&c, &m, &soon) == ETIMEDOUT) {
    }
#elif defined entered
    // Who has come this far goes on; the circle is the second one.
    while (atomic_exchange(&flag, 1) == 1) {
    }
    while (atomic_exchange(&flag, 1) == 1) { //~[entered] DEADLOCK
    }
#else
    while (!atomic_load(&done)) {
        atomic_fetch_add(&rounds, 1);
        pthread_cond_timedwait(&c, &m, &soon);
        atomic_fetch_sub(&rounds, 1);
    }
#endif
    pthread_mutex_unlock(&m);
    atomic_store(&done, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
#if defined signalled
    while (!atomic_load(&done))
        pthread_cond_signal(&c);
#elif defined seen
    while (atomic_load(&rounds) == 0) {
    }
    atomic_store(&done, 1);
#else
    while (!atomic_load(&done)) { //~[unsignalled] DEADLOCK //~[apart] DEADLOCK
    }
#endif
    pthread_join(t, 0);
    return 0;
}
//~[signalled] SAFE
//~[seen] SAFE
