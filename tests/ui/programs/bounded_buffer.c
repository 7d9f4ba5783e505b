//@ run: check
//@ revisions: one_condition two_conditions
// A buffer of one item between a producer and two consumers. With one condition for "not full" and "not empty", the signal
// of the first consumer may wake the second instead of the producer, and all wait. With two conditions each item arrives.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
#ifdef two_conditions
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
#else
#define not_empty not_full
#endif
static int item, filled, received;

static void put(int value)
{
    pthread_mutex_lock(&lock);
    while (filled)
        pthread_cond_wait(&not_full, &lock); //~[one_condition] DEADLOCK
    item = value;
    filled = 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static void *consumer(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!filled)
        pthread_cond_wait(&not_empty, &lock); //~[one_condition] DEADLOCK
    received += item;
    filled = 0;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    put(1);
    put(2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(received == 3);
    return 0;
}
//~[two_conditions] SAFE
