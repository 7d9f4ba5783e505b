//@ run: check --spurious 0
//@ revisions: destroyed freed unheld third spun shared recursive
// Behind a misuse a program goes on, as it does with the GNU C library: what comes then is found as well.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static int x;

static void *section(void *arg)
{
    pthread_mutex_lock(&lock);
    x++; //~[third] RACE write/write
         //~^[third] RACE read/write
    pthread_mutex_unlock(&lock); //~[third] LOCK_MISUSE
    return arg;
}

static void *stranger(void *arg)
{
    pthread_mutex_unlock(&lock); //~[third] LOCK_MISUSE
    return arg;
}

int main(void)
{
#if defined destroyed
    pthread_mutex_lock(&lock);
    int error = pthread_mutex_destroy(&lock); //~[destroyed] LOCK_MISUSE
    pthread_mutex_unlock(&lock);
    assert(error == 0); //~[destroyed] ASSERTION
#elif defined freed
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_destroy(&rwlock); //~[freed] LOCK_MISUSE
    pthread_rwlock_unlock(&rwlock);
    assert(x == 1); //~[freed] ASSERTION
#elif defined unheld
    pthread_mutex_unlock(&lock); //~[unheld] LOCK_MISUSE
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock); //~[unheld] DEADLOCK
#elif defined third
    pthread_t threads[3];
    pthread_create(&threads[0], 0, section, 0);
    pthread_create(&threads[1], 0, section, 0);
    pthread_create(&threads[2], 0, stranger, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
#elif defined spun
    pthread_spin_init(&spinlock, 0);
    pthread_spin_unlock(&spinlock); //~[spun] LOCK_MISUSE
    assert(pthread_spin_trylock(&spinlock)); //~[spun] ASSERTION
#elif defined shared
    pthread_rwlock_unlock(&rwlock); //~[shared] LOCK_MISUSE
    assert(pthread_rwlock_trywrlock(&rwlock)); //~[shared] ASSERTION
#else
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    int error = pthread_mutex_unlock(&lock); //~[recursive] LOCK_MISUSE
    assert(error == 0); //~[recursive] ASSERTION
#endif
    return 0;
}
