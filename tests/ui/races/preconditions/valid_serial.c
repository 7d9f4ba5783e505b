//@ run: races
//@ revisions: serial concurrent
//@ flags: --valid ok --op put --op get
// A failure that two calls one after the other show as well is not due to concurrency.
#include <assert.h>
#include <pthread.h>

struct slot {
    pthread_mutex_t lock;
    int full, value;
};

static int ok(const struct slot *s)
{
    return s->full == 0 && s->value == 1;
}

void put(struct slot *s, int value)
{
    pthread_mutex_lock(&s->lock);
#ifdef concurrent
    s->value = 0;
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_lock(&s->lock);
    s->value = 1;
#else
    s->value = value;
#endif
    s->full = 1;
    pthread_mutex_unlock(&s->lock);
}

void get(struct slot *s, int *out)
{
    pthread_mutex_lock(&s->lock);
#ifdef concurrent
    assert(s->value == 1); //~[concurrent] ASSERTION
#else
    if (s->full)
        *out = s->value;
#endif
    pthread_mutex_unlock(&s->lock);
}
//~[serial] SAFE
//~[serial] FAILS_SERIALLY put and get
