//@ run: check
//@ revisions: left two_seats
// Three philosophers whose forks are semaphores, each taking the left one first: all may wait for the right one. With two
// seats at the table they cannot.
#include <pthread.h>
#include <semaphore.h>

static sem_t fork_of[3], seats;

static void *philosopher(void *arg)
{
    long me = (long)arg;
#ifdef two_seats
    sem_wait(&seats);
#endif
    sem_wait(&fork_of[me]);
    sem_wait(&fork_of[(me + 1) % 3]); //~[left] DEADLOCK
    sem_post(&fork_of[(me + 1) % 3]);
    sem_post(&fork_of[me]);
#ifdef two_seats
    sem_post(&seats);
#endif
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    sem_init(&seats, 0, 2);
    for (int i = 0; i < 3; i++)
        sem_init(&fork_of[i], 0, 1);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
//~[two_seats] SAFE
