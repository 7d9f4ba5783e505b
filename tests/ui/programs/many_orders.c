//@ run: check
//@ revisions: ordered one_order unlocked
// Two threads that take a lock twelve times each: 24 over 12 orders, but few states. What follows from a state is explored
// once, and its executions are counted where it is met again; what only one of all orders shows is found.
#include <assert.h>
#include <pthread.h>

#define ROUNDS 12

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *fives(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        sum += 5; //~[unlocked] RACE@late write
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *numbers(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        sum += i;
#ifdef one_order
        assert(i != 0 || sum != 5 * ROUNDS); //~[one_order] ASSERTION
#endif
        pthread_mutex_unlock(&lock);
    }
#ifdef unlocked
    return sum > 0 ? arg : NULL; //~[unlocked] RACE@late read
#else
    return arg;
#endif
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, fives, NULL);
    pthread_create(&two, NULL, numbers, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
//~[ordered] SAFE executions=2704156
