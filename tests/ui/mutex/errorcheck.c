//@ run: check
//@ revisions: ignored checked
// An error-checking mutex says EDEADLK and EPERM where a normal one has no defined behaviour: no misuse by itself.
// Who ignores that, and counts on a lock that was not taken, unlocks once too often; here the count is what fails.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

int main(void)
{
    pthread_mutexattr_t attr;
    int held = 0;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attr);
    assert(pthread_mutex_lock(&lock) == 0);
    held++;
#ifdef checked
    assert(pthread_mutex_lock(&lock) == EDEADLK);
#else
    pthread_mutex_lock(&lock);
    held++;
#endif
    assert(pthread_mutex_unlock(&lock) == 0);
    held--;
    assert(pthread_mutex_unlock(&lock) == EPERM);
    assert(held == 0); //~[ignored] ASSERTION
    return 0;
}
//~[checked] SAFE executions=1
