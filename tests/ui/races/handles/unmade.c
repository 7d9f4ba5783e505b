//@ run: races --heaps reached
//@ revisions: unmade made
// A function that takes what no public function makes is called by no client, though it might build what races: that is said.
#include <pthread.h>
#include <stdlib.h>

struct key;

struct box {
    pthread_mutex_t lock;
    int value;
};

struct box *box_new(void)
{
    struct box *b = calloc(1, sizeof *b);
    if (b)
        pthread_mutex_init(&b->lock, NULL);
    return b;
}

void box_set(struct box *b, int value)
{
    pthread_mutex_lock(&b->lock);
    b->value = value;
    pthread_mutex_unlock(&b->lock);
}

#ifdef unmade
struct box *box_of(struct key *key)
{
    return key ? box_new() : NULL;
}
//~[unmade] INCONCLUSIVE ledger=unsupported,vacuous
#endif
//~[made] SAFE
