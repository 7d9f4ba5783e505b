//@ run: check
// Attribute objects keep what they are told.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static void *worker(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attr;
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    pthread_mutex_t lock;
    int value = -1;
    size_t size = 0;
    clockid_t clock;
    pthread_attr_init(&attr);
    assert(pthread_attr_setstacksize(&attr, 1) == EINVAL);
    assert(pthread_attr_setstacksize(&attr, 1 << 20) == 0);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_JOINABLE);
    pthread_attr_getstacksize(&attr, &size);
    assert(size == 1 << 20);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_settype(&mutex, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setprotocol(&mutex, PTHREAD_PRIO_INHERIT);
    assert(pthread_mutexattr_settype(&mutex, 77) == EINVAL);
    pthread_mutexattr_gettype(&mutex, &value);
    assert(value == PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_getrobust(&mutex, &value);
    assert(value == PTHREAD_MUTEX_STALLED);
    pthread_condattr_init(&condition);
    pthread_condattr_setclock(&condition, CLOCK_MONOTONIC);
    pthread_condattr_getclock(&condition, &clock);
    assert(clock == CLOCK_MONOTONIC);
    pthread_mutex_init(&lock, &mutex);
    pthread_mutex_lock(&lock);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    assert(pthread_create(&t, &attr, worker, NULL) == 0);
    pthread_setname_np(t, "worker");
    pthread_join(t, NULL);
    return 0;
}
//~ SAFE executions=1
