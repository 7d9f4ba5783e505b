//@ run: races
//@ revisions: careful careless middle
// A mark in the lowest bit of a link, cleared by a mask that clears the sign as well: addresses have neither.
#include <limits.h>
#include <pthread.h>

struct node {
    int key;
    struct node *next;
    pthread_mutex_t lock;
};

#ifdef middle
#define BITS (LONG_MAX - 1 - (1L << 20))
#else
#define BITS (LONG_MAX - 1)
#endif
#define UNMARKED(p) ((struct node *)((long)(p) & BITS))
#define IS_MARKED(p) ((long)(p) & (LONG_MIN + 1))

int find(struct node *n, int key)
{
    int found;
    pthread_mutex_lock(&n->lock);
    struct node *next = UNMARKED(n->next); //~[careless] RACE@mark read
    found = next && next->key == key && !IS_MARKED(n->next); //~[careless] RACE@look read
    pthread_mutex_unlock(&n->lock);
    return found;
}

void mark(struct node *n)
{
#ifdef careless
    n->next = (struct node *)((long)n->next | 1); //~[careless] RACE@mark,look write //~[careless] RACE read/write //~[careless] RACE write/write
#else
    pthread_mutex_lock(&n->lock);
    n->next = (struct node *)((long)n->next | 1);
    pthread_mutex_unlock(&n->lock);
#endif
}
//~[careful] SAFE executions=42
//~[middle] INCONCLUSIVE ledger=concretized
