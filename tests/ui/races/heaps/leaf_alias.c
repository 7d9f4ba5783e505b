//@ run: races --op bump_first --op bump_second
//@ revisions: two_locks one_lock
// Objects without links and locks may be shared as well: two fields of one holder may name the same counter.
#include <pthread.h>

struct counter {
    int value;
};

struct holder {
    pthread_mutex_t first_lock, second_lock;
    struct counter *first, *second;
};

#ifdef one_lock
#define SECOND first_lock
#else
#define SECOND second_lock
#endif

void bump_first(struct holder *h)
{
    pthread_mutex_lock(&h->first_lock);
    h->first->value = 1; //~[two_locks] RACE@counter write
    pthread_mutex_unlock(&h->first_lock);
}

void bump_second(struct holder *h)
{
    pthread_mutex_lock(&h->SECOND);
    h->second->value = 2; //~[two_locks] RACE@counter write
    pthread_mutex_unlock(&h->SECOND);
}
//~[one_lock] SAFE executions=7
