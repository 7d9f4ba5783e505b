//@ run: races
//@ revisions: table object returned kept_by_helper locked dispatched compared
//@[dispatched] flags: --heaps any
// Callers get functions by pointer, too: from a table that is visible, from the object, or from a call that returns them. They are operations
// like those that callers know by name, unless the library calls through pointers what may be them: then others call them.
#include <pthread.h>
#include <stdlib.h>

struct counter {
    pthread_mutex_t lock;
    int count;
    void (*method)(struct counter *);
};

static void add(struct counter *c)
{
#ifdef locked
    pthread_mutex_lock(&c->lock);
#endif
    c->count++; //~[table,object,returned,kept_by_helper] RACE write/write //~[table,object,returned,kept_by_helper] RACE read/write //~[table,object,returned,kept_by_helper] RACE@other write
#ifdef locked
    pthread_mutex_unlock(&c->lock);
#endif
}

#if defined table || defined locked
struct methods {
    void (*add)(struct counter *);
};
const struct methods counter_methods = {add};
#elif defined returned
void (*counter_method(void))(struct counter *)
{
    return add;
}
#elif defined kept_by_helper
static void keep(struct counter *c, void (*method)(struct counter *))
{
    c->method = method;
}

static void nothing(struct counter *c)
{
    (void)c;
}
#elif defined compared
int counter_is_plain(struct counter *c)
{
    return c->method == add;
}
#endif

struct counter *counter_new(void)
{
    struct counter *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
#if defined object || defined dispatched
    c->method = add;
#elif defined kept_by_helper
    keep(c, nothing);
    keep(c, add);
#endif
    return c;
}

int counter_get(struct counter *c)
{
    pthread_mutex_lock(&c->lock);
#ifdef dispatched
    c->method(c);
#endif
    int count = c->count; //~[table,object,returned,kept_by_helper] RACE@other read
    pthread_mutex_unlock(&c->lock);
    return count;
}
//~[locked,dispatched,compared] SAFE
