/* A concurrent skip list of two levels, with the mistake of SSRD's Listing 2 (Sun & Gupta, ISMM 2024).
 *
 * insert() changes the list under the lock of one predecessor only, the one on level 0, and looks at the other without it:
 * both may be the same node. Searching takes no lock at all. See skiplist_fixed.c for the repaired twin.
 *
 *     raddle races examples/skiplist.c --op insert
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define MAXLEVEL 2

struct node {
    int key;
    int value;
    pthread_mutex_t mutex;
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
    struct node *curr = search_node(h, key, MAXLEVEL - 1, prev);
    return curr != NULL && curr->key == key;
}

bool insert(struct node *h, int key, int value)
{
    struct node *prev[MAXLEVEL];
    struct node *curr = search_node(h, key, MAXLEVEL - 1, prev);
    if (curr != NULL && curr->key == key) {
        if (curr == prev[1]->next[0])
            curr->value = value;
        return false;
    }
    struct node *node = create(key, value);
    int level = rand_level(key);
    pthread_mutex_lock(&prev[0]->mutex);
    node->next[0] = prev[0]->next[0];
    prev[0]->next[0] = node;
    if (level == 1) {
        node->next[1] = prev[1]->next[1];
        prev[1]->next[1] = node;
    }
    pthread_mutex_unlock(&prev[0]->mutex);
    return true;
}
