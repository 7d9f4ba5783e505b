//@ run: races --heaps reached
//@ revisions: got locked taken private
// What a call sets by an argument clients go on with as with what it returns: objects that it makes, and what others know as well. What only
// hands on what it was given makes nothing, and clients have objects of their own beside it.
#include <pthread.h>
#include <stdlib.h>

#ifdef taken
struct item {
    int value;
};

struct shelf {
    pthread_mutex_t lock;
    struct item *item;
};

int shelf_new(struct shelf **out)
{
    struct shelf *s = calloc(1, sizeof *s);
    if (!s)
        return -1;
    pthread_mutex_init(&s->lock, NULL);
    *out = s;
    return 0;
}

void shelf_put(struct shelf *s, struct item *i)
{
    pthread_mutex_lock(&s->lock);
    s->item = i;
    pthread_mutex_unlock(&s->lock);
}

int shelf_take(struct shelf *s, struct item **out)
{
    pthread_mutex_lock(&s->lock);
    *out = s->item;
    s->item = NULL;
    pthread_mutex_unlock(&s->lock);
    return *out != NULL;
}

void item_set(struct item *i, int value)
{
    i->value = value; //~[taken] RACE
}
#else
struct store;

struct conf {
    struct store *of;
    int timeout;
};

struct store {
    pthread_mutex_t lock;
    struct conf *now;
};

int store_new(struct store **out)
{
    struct store *s = calloc(1, sizeof *s);
    if (!s)
        return -1;
    s->now = calloc(1, sizeof *s->now);
    if (!s->now) {
        free(s);
        *out = NULL;
        return -1;
    }
    s->now->of = s;
    pthread_mutex_init(&s->lock, NULL);
    *out = s;
    return 0;
}

void store_set(struct store *s, int timeout)
{
    pthread_mutex_lock(&s->lock);
    s->now->timeout = timeout; //~[got] RACE@timeout write
    pthread_mutex_unlock(&s->lock);
}

void store_get(struct store *s, const struct conf **out)
{
#ifdef private
    // A copy is the caller's alone.
    struct conf *c = calloc(1, sizeof *c);
    if (c) {
        pthread_mutex_lock(&s->lock);
        c->timeout = s->now->timeout;
        pthread_mutex_unlock(&s->lock);
    }
    *out = c;
#else
    *out = s->now;
#endif
}

int conf_timeout(const struct conf *c)
{
#ifdef locked
    pthread_mutex_lock(&c->of->lock);
    int timeout = c->timeout;
    pthread_mutex_unlock(&c->of->lock);
    return timeout;
#else
    return c->timeout; //~[got] RACE@timeout read
#endif
}
//~[locked,private] SAFE
#endif
