//@ run: check
//@ known-gap: who waits for good beside two threads that run for ever and see each other's data is not seen to: the joint rounds of those two would have to be followed
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static sem_t nobody_posts;
static atomic_int turned;

static void *turn(void *unused)
{
    for (;;)
        atomic_fetch_xor(&turned, 1);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    sem_init(&nobody_posts, 0, 0);
    pthread_create(&one, NULL, turn, NULL);
    pthread_create(&other, NULL, turn, NULL);
    // A deadlock: with one of the two threads it is found.
    sem_wait(&nobody_posts);
    exit(0);
}
//~ SAFE
