//@ run: check
//@ revisions: waits posted locked condition barrier piped ignored
// Who waits for what a signal handler does waits for somebody outside: no deadlock, but not safe either. A handler gives no locks
// back, and signals no condition.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t stop;
static sem_t asked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static int ends[2];

static void on_signal(int number)
{
    stop = number;
    sem_post(&asked);
    write(ends[1], "", 1);
}

int main(void)
{
    sem_init(&asked, 0, 0);
    pthread_barrier_init(&both, 0, 2);
    if (pipe(ends) != 0)
        return 1;
#ifdef ignored
    signal(SIGTERM, SIG_IGN);
#else
    signal(SIGTERM, on_signal); //~[waits,posted,piped] INCONCLUSIVE ledger=concretized
#endif
#if defined waits || defined ignored
    while (!stop) //~[ignored] DEADLOCK
        sleep(1);
#elif defined posted
    sem_wait(&asked);
#elif defined piped
    char woken;
    read(ends[0], &woken, 1);
#elif defined condition
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&done, &lock); //~[condition] DEADLOCK
#elif defined barrier
    pthread_barrier_wait(&both); //~[barrier] DEADLOCK
#else
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock); //~[locked] DEADLOCK
#endif
    return 0;
}
