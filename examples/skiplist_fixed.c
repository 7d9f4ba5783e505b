/* The skip list of skiplist.c without its races: the head's mutex is the lock of the whole list. Every operation takes
 * it before it reads the first link and keeps it until after its last access, searching included: a lock taken only around
 * the change cannot protect it from those who read without one.
 *
 *     raddle races examples/skiplist_fixed.c --op insert --op search
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define MAXLEVEL 2

struct node {
    int key;
    int value;
    pthread_mutex_t mutex; /* of the head: protects every node behind it */
    struct node *next[MAXLEVEL];
};

/* Whoever links the node sets `next` on each of its levels; no other level of it is looked at. */
static struct node *create(int key, int value)
{
    struct node *n = malloc(sizeof *n);
    n->key = key;
    n->value = value;
    pthread_mutex_init(&n->mutex, NULL);
    return n;
}

/* Half of the keys stand on level 1 as well. The key itself serves as the coin. */
static int rand_level(int key)
{
    return (key >> 1 ^ key) & 1;
}

/* Returns the first node behind `h` whose key is not below `key`, and its predecessor on each level up to `level`. */
static struct node *search_node(struct node *h, int key, int level, struct node **prev)
{
    struct node *next = h->next[level];
    if (next != NULL && next->key < key)
        return search_node(next, key, level, prev);
    prev[level] = h;
    if (level == 0)
        return next;
    return search_node(h, key, level - 1, prev);
}

/* `h` is a head node: its key and value are not used. */
bool search(struct node *h, int key)
{
    struct node *prev[MAXLEVEL];
    pthread_mutex_lock(&h->mutex);
    struct node *curr = search_node(h, key, MAXLEVEL - 1, prev);
    bool found = curr != NULL && curr->key == key;
    pthread_mutex_unlock(&h->mutex);
    return found;
}

bool insert(struct node *h, int key, int value)
{
    struct node *prev[MAXLEVEL];
    pthread_mutex_lock(&h->mutex);
    struct node *curr = search_node(h, key, MAXLEVEL - 1, prev);
    if (curr != NULL && curr->key == key) {
        curr->value = value;
        pthread_mutex_unlock(&h->mutex);
        return false;
    }
    struct node *node = create(key, value);
    node->next[0] = prev[0]->next[0];
    prev[0]->next[0] = node;
    if (rand_level(key) == 1) {
        node->next[1] = prev[1]->next[1];
        prev[1]->next[1] = node;
    }
    pthread_mutex_unlock(&h->mutex);
    return true;
}
