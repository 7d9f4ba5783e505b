//@ run: races --op touch --op look
//@ revisions: shared exclusive
// Both sides hold the lock, but a race is excluded only if one of them holds it exclusively.
#include <pthread.h>

struct box {
    pthread_rwlock_t lock;
    int value, reads;
};

int look(struct box *b)
{
    pthread_rwlock_rdlock(&b->lock);
    int value = b->value;
#ifdef shared
    b->reads = 1; //~[shared] RACE write/write
#endif
    pthread_rwlock_unlock(&b->lock);
    return value;
}

void touch(struct box *b)
{
    pthread_rwlock_wrlock(&b->lock);
    b->value = b->reads;
    pthread_rwlock_unlock(&b->lock);
}
//~[shared] PAIR touch look safe
//~[exclusive] SAFE
