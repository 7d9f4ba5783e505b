//@ run: races
//@ revisions: faulty fixed
// Multiplicative hashing: the high bits of a product say which bucket, and the low bits of that which lock.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
    uint32_t key;
    int value;
    struct node *next;
};

struct table {
    pthread_mutex_t locks[2];
    uint32_t shift;
    struct node **buckets;
};

static uint32_t bucket(const struct table *t, uint32_t key) { return key * 2654435761u >> (32 - t->shift); }

void add(struct table *t, uint32_t key, int value)
{
    struct node *node = malloc(sizeof *node);
    uint32_t at = bucket(t, key);
    node->key = key;
    node->value = value;
    pthread_mutex_lock(&t->locks[at & 1]);
    node->next = t->buckets[at]; //~[faulty] RACE
#ifdef faulty
    pthread_mutex_unlock(&t->locks[at & 1]);
    t->buckets[at] = node; //~[faulty] RACE
#else
    t->buckets[at] = node;
    pthread_mutex_unlock(&t->locks[at & 1]);
#endif
}

int find(struct table *t, uint32_t key)
{
    uint32_t at = bucket(t, key);
    int value = -1;
    pthread_mutex_lock(&t->locks[at & 1]);
    for (struct node *node = t->buckets[at]; node; node = node->next) //~[faulty] RACE
        if (node->key == key)
            value = node->value;
    pthread_mutex_unlock(&t->locks[at & 1]);
    return value;
}
//~[fixed] SAFE
