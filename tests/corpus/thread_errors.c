// What calls of the threads library say when they fail: `errno`, or an error number as the result.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct timespec past = {1, 0}, negative = {1, -1}, too_large = {1, 1000000000};

static void say(const char *what, int result)
{
    printf("%s: %d, errno %d\n", what, result, errno);
    errno = 0;
}

static void semaphores(void)
{
    sem_t s;
    say("sem_init", sem_init(&s, 0, 0x80000000u));
    say("sem_init", sem_init(&s, 0, 1));
    say("sem_timedwait", sem_timedwait(&s, &negative));
    say("sem_trywait", sem_trywait(&s));
    say("sem_trywait", sem_trywait(&s));
    say("sem_timedwait", sem_timedwait(&s, &past));
    say("sem_timedwait", sem_timedwait(&s, &too_large));
    say("sem_post", sem_post(&s));
    say("sem_wait", sem_wait(&s));
    say("sem_destroy", sem_destroy(&s));
}

static void locks(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    say("free mutex, no time", pthread_mutex_timedlock(&m, &negative));
    say("taken mutex, no time", pthread_mutex_timedlock(&m, &too_large));
    say("taken mutex, past", pthread_mutex_timedlock(&m, &past));
    say("trylock", pthread_mutex_trylock(&m));
    say("condition, no time", pthread_cond_timedwait(&c, &m, &negative));
    say("condition, past", pthread_cond_timedwait(&c, &m, &past));
    say("unlock", pthread_mutex_unlock(&m));
    say("free lock, no time", pthread_rwlock_timedrdlock(&l, &too_large));
    say("free lock, no time", pthread_rwlock_timedwrlock(&l, &negative));
    say("free lock", pthread_rwlock_timedrdlock(&l, &past));
    say("taken lock, past", pthread_rwlock_timedwrlock(&l, &past));
    say("unlock", pthread_rwlock_unlock(&l));
}

static void times(void)
{
    struct timespec back = {-1, 0}, none = {0, 0};
    say("nanosleep", nanosleep(&back, NULL));
    say("nanosleep", nanosleep(&too_large, NULL));
    say("nanosleep", nanosleep(&none, NULL));
    say("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &negative, NULL));
}

static void memory(void)
{
    void *block = NULL;
    volatile size_t many = SIZE_MAX / 2;
    say("calloc", calloc(many, 4) != NULL);
    say("posix_memalign", posix_memalign(&block, 3, 8));
    say("posix_memalign", posix_memalign(&block, 24, 8));
    say("posix_memalign", posix_memalign(&block, 64, 8));
    printf("%d\n", block != NULL);
    free(block);
}

static void attributes(void)
{
    pthread_attr_t a;
    int number;
    size_t size;
    say("init", pthread_attr_init(&a));
    say("detach", pthread_attr_setdetachstate(&a, 7));
    say("detach", pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
    say("detach", pthread_attr_getdetachstate(&a, &number));
    say("stack", pthread_attr_setstacksize(&a, 1));
    say("stack", pthread_attr_setstacksize(&a, 1 << 20));
    say("stack", pthread_attr_getstacksize(&a, &size));
    say("guard", pthread_attr_setguardsize(&a, 0));
    printf("%d %zu\n", number, size);
    say("scope", pthread_attr_getscope(&a, &number));
    say("scope", pthread_attr_setscope(&a, PTHREAD_SCOPE_SYSTEM));
    say("inherit", pthread_attr_getinheritsched(&a, &number));
    say("policy", pthread_attr_getschedpolicy(&a, &number));
    say("destroy", pthread_attr_destroy(&a));
    pthread_barrierattr_t b;
    pthread_barrier_t barrier;
    say("barrier", pthread_barrierattr_init(&b));
    say("barrier", pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_PRIVATE));
    say("barrier", pthread_barrier_init(&barrier, &b, 0));
    say("barrier", pthread_barrier_init(&barrier, &b, 1));
    say("barrier", pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
}

int main(void)
{
    semaphores();
    locks();
    times();
    memory();
    attributes();
    return 0;
}
