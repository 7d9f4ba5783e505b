//@ run: races
//@ revisions: faulty32 fixed32 faulty64 fixed64
// A hash table of any number of buckets: FNV-1a of the key, and a remainder. Linking behind the lock races.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(faulty64) || defined(fixed64)
typedef uint64_t hash_t;
#else
typedef uint32_t hash_t;
#endif

struct node {
    uint32_t key;
    int value;
    struct node *next;
};

struct table {
    pthread_mutex_t lock;
    uint32_t n;
    struct node **buckets;
};

static hash_t hash(uint32_t key)
{
    hash_t h = 2166136261u;
    for (int i = 0; i < 4; i++)
        h = (h ^ (key >> 8 * i & 255)) * 16777619u;
    return h;
}

void add(struct table *t, uint32_t key, int value)
{
    struct node *node = malloc(sizeof *node);
    node->key = key;
    node->value = value;
    pthread_mutex_lock(&t->lock);
    uint32_t at = hash(key) % t->n;
    node->next = t->buckets[at]; //~[faulty32,faulty64] RACE
#if defined(faulty32) || defined(faulty64)
    pthread_mutex_unlock(&t->lock);
    t->buckets[at] = node; //~[faulty32,faulty64] RACE
#else
    t->buckets[at] = node;
    pthread_mutex_unlock(&t->lock);
#endif
}

int find(struct table *t, uint32_t key)
{
    int value = -1;
    pthread_mutex_lock(&t->lock);
    for (struct node *node = t->buckets[hash(key) % t->n]; node; node = node->next) //~[faulty32,faulty64] RACE
        if (node->key == key) {
            value = node->value;
            break;
        }
    pthread_mutex_unlock(&t->lock);
    return value;
}
//~[fixed32,fixed64] SAFE
