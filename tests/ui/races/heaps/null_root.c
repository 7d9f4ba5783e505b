//@ run: races
//@ revisions: unchecked checked locked
//@[unchecked] flags: --op touch
//@[checked,locked] flags: --op touch_checked
// A null root is a shape on which an operation that does not ask for it faults alone: that one is dropped.
#include <pthread.h>
#include <stddef.h>

struct box {
    pthread_mutex_t lock;
    int value;
};

void touch(struct box *b, int v)
{
    b->value = v; //~[unchecked] RACE write/write
}

void touch_checked(struct box *b, int v)
{
    if (b == NULL)
        return;
#ifdef locked
    pthread_mutex_lock(&b->lock);
#endif
    b->value = v; //~[checked] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&b->lock);
#endif
}
//~[unchecked] DROPPED touch
//~[locked] SAFE executions=3
