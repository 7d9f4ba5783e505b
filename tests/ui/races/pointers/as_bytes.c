//@ run: races --client-calls 0
//@ revisions: handed kept
// Bytes of a number are handed out: that a pointer to bytes leads there is not explored, and said.
#include <pthread.h>

struct total {
    pthread_mutex_t lock;
    int sum;
};

void add(struct total *t)
{
    pthread_mutex_lock(&t->lock);
    t->sum++;
    pthread_mutex_unlock(&t->lock);
}

#if defined(handed)
const unsigned char *bytes_of(struct total *t)
{
    return (const unsigned char *)&t->sum;
}
#endif

int first(const unsigned char *p)
{
    return p[0];
}
//~[handed] INCONCLUSIVE ledger=unsupported
//~[kept] SAFE
