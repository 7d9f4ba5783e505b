//@ run: races
//@ revisions: bare locked
// Larger structures are passed and returned in memory: the callee has a copy of its own, which does not race with anybody's.
#include <pthread.h>
#include <string.h>

struct record {
    long key;
    char name[16];
    struct record *next;
};

struct table {
    pthread_mutex_t lock;
    struct record first;
};

#ifdef bare
#define begin(t)
#define end(t)
#else
#define begin(t) pthread_mutex_lock(&(t)->lock)
#define end(t) pthread_mutex_unlock(&(t)->lock)
#endif

void put(struct table *t, struct record r)
{
    r.key++;
    r.name[0] = 'x';
    begin(t);
    t->first.key = r.key; //~[bare] RACE@key write //~[bare] RACE write/write
    end(t);
}

struct record get(struct table *t)
{
    struct record r = { 0 };
    begin(t);
    r.key = t->first.key; //~[bare] RACE@key read
    end(t);
    return r;
}

int same(struct record a, struct record b)
{
    a.key = b.key;
    return a.next == b.next && !memcmp(a.name, b.name, sizeof a.name);
}
//~[locked] SAFE
