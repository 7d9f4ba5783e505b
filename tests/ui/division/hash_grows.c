//@ run: races
//@ revisions: faulty fixed
// A hash table that grows: how many buckets there are after that nothing bounds but the bound of arrays. Saying so behind
// the lock races.
#include <pthread.h>
#include <stdlib.h>

struct node {
    unsigned key;
    struct node *next;
};

struct table {
    pthread_mutex_t lock;
    unsigned n;
    struct node **buckets;
};

int has(struct table *t, unsigned key)
{
    pthread_mutex_lock(&t->lock);
    struct node *node = t->buckets[key % t->n]; //~[faulty] RACE
    while (node && node->key != key)
        node = node->next;
    pthread_mutex_unlock(&t->lock);
    return node != NULL;
}

void grow(struct table *t)
{
    pthread_mutex_lock(&t->lock);
    unsigned n = t->n * 2; //~[faulty] RACE
    if (n > t->n) { //~[faulty] RACE
        struct node **buckets = calloc(n, sizeof *buckets);
        for (unsigned i = 0; i < t->n; i++) //~[faulty] RACE
            while (t->buckets[i]) {
                struct node *node = t->buckets[i];
                t->buckets[i] = node->next;
                node->next = buckets[node->key % n];
                buckets[node->key % n] = node;
            }
        t->buckets = buckets;
#ifdef fixed
        t->n = n;
#endif
    }
    pthread_mutex_unlock(&t->lock);
#ifdef faulty
    t->n = n; //~[faulty] RACE
#endif
}
//~[fixed] SAFE
