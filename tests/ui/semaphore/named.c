//@ run: check
//@ revisions: two one
// Named semaphores: both threads get one object by its name, which may be gone by the time that they use it. Two names are
// two objects, and exclude nobody.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static int shared;

static void *worker(void *arg)
{
    sem_t *lock = sem_open(arg, 0);
    if (lock == SEM_FAILED)
        exit(1);
    sem_wait(lock);
    shared++; //~[two] RACE read/write
    //~^[two] RACE write/write
    sem_post(lock);
    sem_close(lock);
    return NULL;
}

int main(void)
{
    static char first[] = "/raddle-first", second[] = "/raddle-second";
    pthread_t a, b;
    // What a run that was killed left behind.
    sem_unlink(first), sem_unlink(second);
    sem_t *lock = sem_open(first, O_CREAT | O_EXCL, 0600, 1);
    sem_t *other = sem_open(second, O_CREAT, 0600, 1);
    if (lock == SEM_FAILED || other == SEM_FAILED || lock == other)
        return 1;
    assert(sem_open(first, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    assert(sem_open("a/b", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
    assert(sem_open("/raddle-first", O_CREAT, 0600, 5) == lock);
    assert(sem_close(lock) == 0);
    pthread_create(&a, NULL, worker, first);
#ifdef two
    pthread_create(&b, NULL, worker, second);
#else
    pthread_create(&b, NULL, worker, first);
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(sem_unlink(first) == 0 && sem_unlink(second) == 0);
    assert(sem_unlink(first) == -1 && errno == ENOENT);
    int value = -1;
    sem_getvalue(lock, &value);
    assert(value == 1);
    sem_close(lock);
    sem_close(other);
    assert(sem_close(other) == -1 && errno == EINVAL);
    return shared - 2;
}
//~[one] SAFE
