//@ run: races --search walk --samples 20
//@ revisions: open locked program
// On each initial heap, and in each round, so many; of a whole program, from its beginning.
#include <pthread.h>

struct box {
    pthread_mutex_t lock;
    int value;
    struct box *next;
};

void set(struct box *b, int value)
{
#ifdef locked
    pthread_mutex_lock(&b->lock);
#endif
    b->value = value; //~[open,program] RACE
#ifdef locked
    pthread_mutex_unlock(&b->lock);
#endif
}
#ifdef program
static struct box box = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

static void *other(void *unused)
{
    set(&box, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    set(&box, 2);
    return pthread_join(thread, 0);
}
#endif
//~[program] FINDINGS ledger=sampled entries=1
//~[open] FINDINGS ledger=sampled
//~[locked] INCONCLUSIVE ledger=sampled
