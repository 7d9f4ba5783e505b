//@ run: races --heaps reached
//@ revisions: faulty fixed
// Two accounts that are locked in the order in which they are given.
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

void account_init(struct account *a)
{
    pthread_mutex_init(&a->lock, NULL);
    a->balance = 1;
}

static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;

void transfer(struct account *from, struct account *to, long amount)
{
#ifdef fixed
    pthread_mutex_lock(&all);
#endif
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock); //~[faulty] DEADLOCK
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
#ifdef fixed
    pthread_mutex_unlock(&all);
#endif
}
//~[fixed] SAFE
