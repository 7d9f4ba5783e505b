//@ run: check --memory sc
//@ revisions: locked set reads reads_set spun counted posted tried given shared timed errors freed
// Several threads that look, each for itself and one after the other, for what nobody brings: looking takes a lock for a while, or tries
// one, and neither shows the others anything.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static sem_t count;
static int ready;

static int is_ready(void)
{
    int now;
#if defined locked || defined set
    pthread_mutex_lock(&lock);
    now = ready;
    pthread_mutex_unlock(&lock);
#elif defined reads || defined reads_set
    pthread_rwlock_rdlock(&rwlock);
    now = ready;
    pthread_rwlock_unlock(&rwlock);
#elif defined spun
    pthread_spin_lock(&spinlock);
    now = ready;
    pthread_spin_unlock(&spinlock);
#elif defined counted || defined posted
    sem_wait(&count);
    now = ready;
    sem_post(&count);
#elif defined tried || defined given
    now = pthread_mutex_trylock(&lock) == 0;
    if (now)
        pthread_mutex_unlock(&lock);
#elif defined shared
    now = pthread_rwlock_trywrlock(&rwlock) == 0;
#elif defined timed
    struct timespec soon = { 0, 1 };
    now = pthread_mutex_timedlock(&lock, &soon) == 0;
#elif defined errors || defined freed
    now = sem_trywait(&count) == 0 || errno != EAGAIN;
#endif
    return now;
}

static void *worker(void *arg)
{
    while (!is_ready())
        ;
    return arg;
}

int main(void)
{
    pthread_t one, two;
    pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
#if defined counted || defined posted
    sem_init(&count, 0, 1);
#else
    sem_init(&count, 0, 0);
#endif
#if defined tried || defined given || defined timed
    pthread_mutex_lock(&lock);
#elif defined shared
    pthread_rwlock_rdlock(&rwlock);
#endif
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
#if defined set
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
#elif defined reads_set
    pthread_rwlock_wrlock(&rwlock);
    ready = 1;
    pthread_rwlock_unlock(&rwlock);
#elif defined posted
    sem_wait(&count);
    ready = 1;
    sem_post(&count);
#elif defined given
    pthread_mutex_unlock(&lock);
#elif defined freed
    sem_post(&count);
    sem_post(&count);
#endif
    pthread_join(one, 0); //~[locked,reads,spun,counted,tried,shared,timed,errors] DEADLOCK
    pthread_join(two, 0);
    return 0; //~[set,reads_set,posted,given,freed] SAFE
}
