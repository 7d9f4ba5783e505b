//@ run: check
//@ revisions: waits posted locked ignored
// Who waits for what a signal handler does waits for somebody outside: no deadlock, but not safe either. A handler gives no locks back.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t stop;
static sem_t asked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int number)
{
    stop = number;
    sem_post(&asked);
}

int main(void)
{
    sem_init(&asked, 0, 0);
#ifdef ignored
    signal(SIGTERM, SIG_IGN);
#else
    signal(SIGTERM, on_signal); //~[waits,posted] INCONCLUSIVE ledger=concretized
#endif
#if defined waits || defined ignored
    while (!stop) //~[ignored] DEADLOCK
        sleep(1);
#elif defined posted
    sem_wait(&asked);
#else
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock); //~[locked] DEADLOCK
#endif
    return 0;
}
