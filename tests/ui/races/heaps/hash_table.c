//@ run: races
//@ revisions: wrong_bucket right
//@[wrong_bucket] flags: --op add
//@[right] flags: --op add --op has --op reset
// Buckets with locks of their own. Owners own disjoint heaps: no node stands in two buckets, so a bucket's lock is enough.
// Taking the lock of another bucket than the one that is changed is not.
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    unsigned key;
    int hits;
    struct node *next;
};

struct bucket {
    pthread_mutex_t lock;
    struct node *first;
};

struct table {
    struct bucket buckets[2];
};

void add(struct table *t, unsigned key)
{
    struct node *n = malloc(sizeof *n);
    struct bucket *b = &t->buckets[key & 1];
#ifdef wrong_bucket
    struct bucket *locked = &t->buckets[key >> 1 & 1];
#else
    struct bucket *locked = b;
#endif
    n->key = key;
    n->hits = 0;
    pthread_mutex_lock(&locked->lock);
    n->next = b->first; //~[wrong_bucket] RACE@first read
    b->first = n; //~[wrong_bucket] RACE@first write //~[wrong_bucket] RACE write/write
    pthread_mutex_unlock(&locked->lock);
}

bool has(struct table *t, unsigned key)
{
    struct bucket *b = &t->buckets[key & 1];
    pthread_mutex_lock(&b->lock);
    struct node *n = b->first;
    while (n && n->key != key)
        n = n->next;
    if (n)
        n->hits = 1;
    pthread_mutex_unlock(&b->lock);
    return n != NULL;
}

void reset(struct table *t, unsigned which)
{
    struct bucket *b = &t->buckets[which & 1];
    pthread_mutex_lock(&b->lock);
    for (struct node *n = b->first; n; n = n->next)
        n->hits = 0;
    pthread_mutex_unlock(&b->lock);
}
//~[right] SAFE executions=220
