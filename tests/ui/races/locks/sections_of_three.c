//@ run: races --op shift --op mark --valid fresh --threads 3
// What a critical section accesses may depend on those before it: the first `shift` writes `turn`, later ones only read it
// and write `data`. So `mark` depends on the second `shift`, whichever that is, and not on the first.
//
// Executions: three `mark` 3! = 6. Two, and a `shift` that depends on neither, 2. One, and two `shift`: which of these is
// first (2), and whether `mark` comes before or after the other (2), 4. Three `shift`: who is first (3), and the order of
// the others (2), 6. In all 18.
#include <pthread.h>
#include <stdbool.h>

struct box {
    pthread_mutex_t lock;
    int turn, data;
};

bool fresh(const struct box *b)
{
    return b->turn == 0;
}

void shift(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    if (b->turn == 0)
        b->turn = 1;
    else
        b->data = 1;
    pthread_mutex_unlock(&b->lock);
}

void mark(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    b->data = 2;
    pthread_mutex_unlock(&b->lock);
}
//~ SAFE executions=18 shapes=1 entries=4
