//@ run: check
//@ revisions: blind ordinary unrepaired right
// A thread ends with a mutex that it holds. A robust one tells the next owner, who repairs what it guards; not repaired, it is
// lost for all; an ordinary one is never free again.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int half;

static void *dies(void *arg)
{
    pthread_mutex_lock(&lock);
    half = 1;
    return arg;
}

static void *comes(void *arg)
{
    int r = pthread_mutex_lock(&lock); //~[ordinary] DEADLOCK
#ifdef blind
    assert(half == 0); //~[blind] ASSERTION
#else
    if (r == EOWNERDEAD) {
        half = 0;
#ifndef unrepaired
        r = pthread_mutex_consistent(&lock);
        assert(r == 0);
#endif
    }
    assert(half == 0);
#endif
    (void)r;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
#ifndef ordinary
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
#endif
    pthread_mutex_init(&lock, &how);
    pthread_create(&a, NULL, dies, NULL);
    pthread_create(&b, NULL, comes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifndef ordinary
    int r = pthread_mutex_lock(&lock);
#ifdef unrepaired
    assert(r == 0 || r == EOWNERDEAD); //~[unrepaired] ASSERTION
#elif defined right
    assert(r == 0 || r == EOWNERDEAD);
#endif
    (void)r;
#endif
    return 0;
}
//~[right] SAFE executions=2
