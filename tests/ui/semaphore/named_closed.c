//@ run: check
//@ revisions: early late
// The last close ends a named semaphore for the whole process: who uses it without an order
// may come too late.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t *sem;

static void *poster(void *arg)
{
    sem_post(sem); //~[early] USE_AFTER_FREE
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem = sem_open("/raddle-closed", O_CREAT, 0600, 0);
    if (sem == SEM_FAILED)
        return 1;
    sem_unlink("/raddle-closed");
    pthread_create(&thread, NULL, poster, NULL);
#ifdef early
    sem_close(sem);
#endif
    pthread_join(thread, NULL);
#ifdef late
    sem_close(sem);
#endif
    return 0;
}
//~[late] SAFE
