//@ run: races --op take --op put --valid stocked
//@ revisions: once twice
//@[twice] flags: --calls 2
// A failure that calls made one after another show as well, in whatever order, is not due to concurrency. The last of two
// that take fails where there is one thing to be had; so it does if another thread's two calls come in between, or one
// of them: each order of the calls counts, not only one thread's behind the other's.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

struct store {
    pthread_mutex_t lock;
    int count;
};

bool stocked(const struct store *s)
{
    return s->count == 1;
}

void take(struct store *s)
{
    pthread_mutex_lock(&s->lock);
    assert(s->count > 0);
    s->count--;
    pthread_mutex_unlock(&s->lock);
}

void put(struct store *s)
{
    pthread_mutex_lock(&s->lock);
    s->count++;
    pthread_mutex_unlock(&s->lock);
}
//~[once] INCONCLUSIVE ledger=vacuous
//~[once] FAILS_SERIALLY take and take
//~[once] PAIR take put safe
//~[twice] INCONCLUSIVE ledger=vacuous
//~[twice] VACUOUS take; take
//~[twice] TOGETHER take; put, take; put: safe
//~[twice] FAILS_SERIALLY (take; put) and (take; put)
