//@ run: check
//@ revisions: never posted abandoned given unheard told lacking complete looks set ends
// Who waits for good is stuck, also where two threads go on for ever that see what each other does. In the twins one of these lets it go on.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t other = PTHREAD_COND_INITIALIZER, awaited = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static sem_t post, full, empty;
static atomic_int turned, flag;
static int slot, ready;

static void *turn(void *first)
{
    for (;;) {
        int was = atomic_fetch_xor(&turned, 1);
#if defined posted
        int value;
        if (was && first && sem_getvalue(&post, &value) == 0 && value == 0)
            sem_post(&post);
#elif defined set
        if (was && first)
            atomic_store(&flag, 1);
#elif defined ends
        if (was && first)
            exit(0);
#endif
        (void)was;
    }
    return first;
}

static void *producer(void *unused)
{
    for (;;) {
        sem_wait(&empty);
        pthread_mutex_lock(&queue);
        slot = 1;
        pthread_mutex_unlock(&queue);
        sem_post(&full);
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (;;) {
        sem_wait(&full);
        pthread_mutex_lock(&queue);
        slot = 0;
        pthread_mutex_unlock(&queue);
        sem_post(&empty);
    }
    return unused;
}

static void *server(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        slot ^= 1;
        pthread_cond_signal(&other);
#ifdef told
        ready = 1;
        pthread_cond_signal(&awaited);
#endif
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *keeper(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef given
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

static void *meets(void *unused)
{
    pthread_barrier_wait(&both);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&post, 0, 0);
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 1);
    pthread_barrier_init(&both, NULL, 2);
#if defined abandoned || defined given
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_create(&threads[2], NULL, keeper, NULL);
    pthread_join(threads[2], NULL);
    pthread_mutex_lock(&lock); //~[abandoned] DEADLOCK
    pthread_mutex_unlock(&lock);
#elif defined unheard || defined told
    pthread_create(&threads[0], NULL, server, NULL);
    pthread_create(&threads[1], NULL, server, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&awaited, &lock); //~[unheard] DEADLOCK
    pthread_mutex_unlock(&lock);
#else
    pthread_create(&threads[0], NULL, turn, &slot);
    pthread_create(&threads[1], NULL, turn, NULL);
#if defined lacking || defined complete
#ifdef complete
    pthread_create(&threads[2], NULL, meets, NULL);
#endif
    pthread_barrier_wait(&both); //~[lacking] DEADLOCK
#elif defined looks || defined set
    while (!atomic_load(&flag)) //~[looks] DEADLOCK
        ;
#else
    sem_wait(&post); //~[never] DEADLOCK
#endif
#endif
    exit(0);
}
//~[posted] SAFE
//~[given] SAFE
//~[told] SAFE
//~[complete] SAFE
//~[set] SAFE
//~[ends] SAFE
