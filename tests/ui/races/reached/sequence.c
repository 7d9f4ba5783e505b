//@ run: races --heaps reached
//@ revisions: twice asserts unlocks fixed
// A lock that one call does not give back, an assertion, and a lock that is given back twice are the library's own failures: one call
// after another shows them, and they count.
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

void account_init(struct account *a)
{
    pthread_mutex_init(&a->lock, NULL);
#ifdef asserts
    a->balance = 1;
#else
    a->balance = 0;
#endif
}

int withdraw(struct account *a)
{
    pthread_mutex_lock(&a->lock); //~[twice] DEADLOCK
    if (a->balance == 0) {
#ifndef twice
        pthread_mutex_unlock(&a->lock);
#endif
#ifdef unlocks
        pthread_mutex_unlock(&a->lock); //~[unlocks] LOCK_MISUSE
#endif
        return 0;
    }
    a->balance--;
#ifdef asserts
    assert(a->balance > 0); //~[asserts] ASSERTION
#endif
    pthread_mutex_unlock(&a->lock);
    return 1;
}
//~[fixed] SAFE
