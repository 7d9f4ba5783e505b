//@ run: check
//@ revisions: kept given exchanged crossed third alone alone_atomic ends weak timed timed_set under_lock under_lock_set tried sleeps
// Nobody can go on who spins on what nobody changes any more: a deadlock, with threads that wait by looking again and again.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static atomic_int flag, other;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, plain;

#if defined kept || defined given
static void *worker(void *arg)
{
    while (atomic_exchange(&flag, 1)) //~[kept] DEADLOCK
        ;
#ifdef given
    atomic_store(&flag, 0);
#endif
    return arg;
}
#elif defined exchanged
// Both find it taken.
static void *worker(void *arg)
{
    atomic_store(&flag, 1);
    while (atomic_exchange(&flag, 1)) //~[exchanged] DEADLOCK
        ;
    return arg;
}
#elif defined crossed
// Each waits for the other, one by looking, one by blocking.
static void *worker(void *arg)
{
    pthread_mutex_lock(&lock); //~[crossed] DEADLOCK
    atomic_store(&flag, 1);
    pthread_mutex_unlock(&lock);
    return arg;
}
#elif defined third
static void *worker(void *arg)
{
    atomic_store(&flag, 1);
    return arg;
}
#elif defined weak
static void *worker(void *arg)
{
    int expected = 0;
    while (!atomic_compare_exchange_weak(&flag, &expected, 1)) //~[weak] DEADLOCK
        expected = 0;
    return arg;
}
#elif defined timed || defined timed_set
static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
#ifdef timed_set
    ready = 1;
#endif
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}
#elif defined under_lock || defined under_lock_set
static void *worker(void *arg)
{
#ifdef under_lock_set
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}
#elif defined tried
static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    return arg;
}
#else
static void *worker(void *arg)
{
    atomic_store(&other, 1);
    return arg;
}
#endif

int main(void)
{
    pthread_t t, u;
#if defined alone
    while (!plain) //~[alone] DEADLOCK
        ;
#elif defined alone_atomic
    while (!flag) //~[alone_atomic] DEADLOCK
        ;
#elif defined ends
    for (int i = 0; !flag && i < 300000; i++)
        ;
#endif
    pthread_create(&t, NULL, worker, NULL);
#if defined kept || defined given || defined exchanged || defined weak
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(u, NULL); //~[kept,weak] DEADLOCK
                           //~^[exchanged] DEADLOCK
#elif defined crossed
    pthread_mutex_lock(&lock);
    while (!flag) //~[crossed] DEADLOCK
        ;
    pthread_mutex_unlock(&lock);
#elif defined third
    while (!flag)
        ;
#elif defined timed || defined timed_set
    struct timespec soon = {.tv_sec = 1};
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_timedwait(&changed, &lock, &soon); //~[timed] DEADLOCK
    pthread_mutex_unlock(&lock);
#elif defined under_lock || defined under_lock_set
    for (bool done = false; !done;) {
        pthread_mutex_lock(&lock); //~[under_lock] DEADLOCK
        done = ready;
        pthread_mutex_unlock(&lock);
    }
#elif defined tried
    // It is tried as long as the other keeps it, or had it before.
    while (pthread_mutex_trylock(&lock) != 0) //~[tried] DEADLOCK
        ;
    pthread_mutex_unlock(&lock);
#elif defined sleeps
    while (!flag) //~[sleeps] DEADLOCK
        sleep(1);
#endif
    pthread_join(t, NULL);
    (void)u;
    return 0;
}
//~[given,third,ends,timed_set,under_lock_set] SAFE
