//@ run: check
//@ revisions: trusting careful timed
// A wait that does not wait, or not for good, has taken something only if it says so. Executions of the twins: the post comes
// first or not.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;
static int data;

static void *writer(void *arg)
{
    data = 1; //~[trusting] RACE@data write
    sem_post(&ready);
    return arg;
}

int main(void)
{
    pthread_t t;
    int got = 0;
    struct timespec soon = {.tv_sec = 1};
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, writer, NULL);
#ifdef trusting
    sem_trywait(&ready);
    got = data; //~[trusting] RACE@data read
#elif defined careful
    if (sem_trywait(&ready) == 0)
        got = data;
#else
    if (sem_timedwait(&ready, &soon) == 0)
        got = data;
#endif
    (void)got;
    (void)soon;
    pthread_join(t, NULL);
    return 0;
}
//~[careful] SAFE executions=2
//~[timed] SAFE executions=2
