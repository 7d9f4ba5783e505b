//@ run: check
//@ revisions: wrong right
// Why a semaphore could not be taken stands in the thread's own `errno`, whatever happens in the other thread.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t sem;

static void *poster(void *arg)
{
    errno = 7;
    sem_post(&sem);
    assert(errno == 7);
    return arg;
}

int main(void)
{
    struct timespec limit = {1, 0};
    pthread_t thread;
    sem_init(&sem, 0, 0);
    pthread_create(&thread, NULL, poster, NULL);
    if (sem_trywait(&sem) == -1) {
#ifdef wrong
        assert(errno == EINTR); //~[wrong] ASSERTION
#else
        assert(errno == EAGAIN);
#endif
        if (sem_timedwait(&sem, &limit) == -1) {
            assert(errno == ETIMEDOUT);
            limit.tv_nsec = 1000000000;
            int result = sem_timedwait(&sem, &limit);
            assert(result == -1 && errno == EINVAL);
        }
    }
    pthread_join(thread, NULL);
    return 0;
}
//~[right] SAFE executions=4
