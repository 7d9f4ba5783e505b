//@ run: races --op put --op take
//@ revisions: places lock message
// What a semaphore of a structure was initialised with is not known: 0 and 1 are explored. With 1 it is a lock. Where one side
// posts what the other waits for, the data race if there was something to take before.
#include <semaphore.h>

struct box {
    sem_t full;
    int data;
};

static int guard;
static sem_t once;

void put(struct box *b)
{
#ifdef places
    sem_wait(&b->full);
    b->data++;
    sem_post(&b->full);
#elif defined message
    b->data = 1; //~[message] RACE@take write //~[message] RACE write/write
    sem_post(&b->full);
#else
    sem_wait(&once);
    guard = 1;
    sem_post(&once);
#endif
}

int take(struct box *b)
{
    int got = 0;
#ifdef lock
    sem_wait(&once);
    got = guard;
    sem_post(&once);
#else
    sem_wait(&b->full);
    got = b->data; //~[message] RACE@take read
    sem_post(&b->full);
#endif
    return got;
}
//~[places] SAFE
//~[lock] SAFE
