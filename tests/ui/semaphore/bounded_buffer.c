//@ run: check
//@ revisions: unguarded guarded
// A bounded buffer of two places for two producers and a consumer: semaphores count, a mutex guards the indices.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t full, empty;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[2], in, out;

static void *producer(void *arg)
{
    sem_wait(&empty);
#ifdef guarded
    pthread_mutex_lock(&lock);
#endif
    buffer[in] = 7;    //~[unguarded] RACE@in read //~[unguarded] RACE write/write //~[unguarded] RACE@buffer write
    in = (in + 1) % 2; //~[unguarded] RACE@in write //~[unguarded] RACE read/write //~[unguarded] RACE write/write
#ifdef guarded
    pthread_mutex_unlock(&lock);
#endif
    sem_post(&full);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 2);
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, producer, NULL);
    for (int i = 0; i < 2; i++) {
        sem_wait(&full);
        int got = buffer[out]; //~[unguarded] RACE@buffer read
        out = (out + 1) % 2;
#ifdef guarded
        assert(got == 7);
#endif
        sem_post(&empty);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[guarded] SAFE
