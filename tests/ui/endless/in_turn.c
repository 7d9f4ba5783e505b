//@ run: check
//@ revisions: locked counted brought unfolded unheld
//@[unfolded,unheld] flags: --strategy unfolding
// Two threads look in turn, under a lock, for what nobody brings, beside code that never ends: in each state that comes up again one of
// them may have the lock that the other waits for. In the twins somebody brings it.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t count;
static int ready;

static void take(void)
{
#ifdef counted
    sem_wait(&count);
#else
    pthread_mutex_lock(&lock);
#endif
}

static void give(void)
{
#ifdef counted
    sem_post(&count);
#else
    pthread_mutex_unlock(&lock);
#endif
}

static void *serves(void *arg)
{
    for (;;) {
        take();
        give();
    }
    return arg;
}

static void *looks(void *arg)
{
    if (arg)
        serves(arg);
    for (int now = 0; !now;) {
        take();
        now = ready;
        give();
    }
    return arg;
}

int main(void)
{
    pthread_t one, two;
    sem_init(&count, 0, 1);
    pthread_create(&one, 0, looks, 0);
    pthread_create(&two, 0, looks, 0);
#if defined brought || defined unheld
    take();
    ready = 1;
    give();
#endif
    pthread_join(one, 0); //~[locked,counted,unfolded] DEADLOCK
    pthread_join(two, 0);
    return 0; //~[brought,unheld] SAFE
}
