//@ run: check
//@ revisions: static_spin static_sem static_barrier unlock barrier_busy right
// None of these objects has a static initialiser; a spin lock is unlocked by its owner; a barrier at which somebody waits is
// not destroyed.
#include <pthread.h>
#include <semaphore.h>

static pthread_spinlock_t spin;
static sem_t semaphore;
static pthread_barrier_t barrier;

static void *waiter(void *arg)
{
    pthread_barrier_wait(&barrier); //~[barrier_busy] RACE@barrier read //~[barrier_busy,static_barrier] LOCK_MISUSE
    return arg;
}

int main(void)
{
    pthread_t t;
#ifndef static_spin
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
#endif
#ifndef static_sem
    sem_init(&semaphore, 0, 1);
#endif
#ifndef static_barrier
    pthread_barrier_init(&barrier, NULL, 2);
#endif
#ifdef unlock
    pthread_spin_unlock(&spin); //~[unlock] LOCK_MISUSE
#endif
    pthread_spin_lock(&spin); //~[static_spin] LOCK_MISUSE
    pthread_spin_unlock(&spin);
    sem_wait(&semaphore); //~[static_sem] LOCK_MISUSE
    pthread_create(&t, NULL, waiter, NULL);
#ifdef barrier_busy
    pthread_barrier_destroy(&barrier); //~[barrier_busy] RACE@barrier write //~[barrier_busy] LOCK_MISUSE
#else
    pthread_barrier_wait(&barrier); //~[static_barrier] LOCK_MISUSE
#endif
    pthread_join(t, NULL);
    return 0;
}
//~[right] SAFE executions=1
