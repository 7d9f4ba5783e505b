//@ run: races --op add --op hits --op misses --client-calls 0
//@ revisions: returned stored static_helper kept
// An address that the program returns to its callers, or stores, comes back in a parameter; one that it only uses does not.
#include <pthread.h>

struct stats {
    int hits, misses;
    int *where;
};

void add(int *counter)
{
    (*counter)++; //~ RACE read/write
                  //~^ RACE write/write
                  //~^^[returned,stored] RACE@hits write
}

int hits(struct stats *s)
{
    return s->hits; //~[returned,stored] RACE@hits read
}

int misses(struct stats *s)
{
    return s->misses;
}

#if defined(returned)
int *hits_of(struct stats *s)
{
    return &s->hits;
}
#elif defined(stored)
void watch(struct stats *s)
{
    s->where = &s->hits;
}
#elif defined(static_helper)
static void step(int *counter)
{
    ++*counter;
}
void hit(struct stats *s)
{
    step(&s->hits);
}
#endif
