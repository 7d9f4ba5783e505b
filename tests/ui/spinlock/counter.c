//@ run: check
//@ revisions: unlocked locked
// A counter behind a spin lock, and without. Executions of the twin: the orders of three critical sections.
#include <pthread.h>

static pthread_spinlock_t lock;
static int hits;

static void *worker(void *arg)
{
#ifdef locked
    pthread_spin_lock(&lock);
#endif
    hits++; //~[unlocked] RACE read/write //~[unlocked] RACE write/write
#ifdef locked
    pthread_spin_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    pthread_spin_destroy(&lock);
    return 0;
}
//~[locked] SAFE executions=6
