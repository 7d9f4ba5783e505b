//@ run: races --op insert --op search
//@ revisions: one_lock fixed deep
//@[one_lock,fixed] flags: --depth 2
//@ timeout: 600
// SSRD's Listing 2 (Sun & Gupta, ISMM 2024): insert looks at prev[1]->next[0] without a lock and writes prev[0]->next[0]
// under one; both may be one node. As searching is unlocked too, most other accesses race with the linking of a new node,
// and nothing orders the initialisation of a new node with those who find it: not of its fields, not of its mutex.
// In the twin the head's mutex protects all, for every shape.
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

static struct node *create(int key, int value)
{
    struct node *n = malloc(sizeof *n);
    n->key = key; //~[one_lock] RACE write
    n->value = value; //~[one_lock] RACE write
    pthread_mutex_init(&n->mutex, NULL); //~[one_lock] RACE write
    return n;
}

static int rand_level(int key)
{
    return (key >> 1 ^ key) & 1;
}

static struct node *search_node(struct node *h, int key, int level, struct node **prev)
{
    struct node *next = h->next[level]; //~[one_lock] RACE read
    if (next != NULL && next->key < key) //~[one_lock] RACE read
        return search_node(next, key, level, prev);
    prev[level] = h;
    if (level == 0)
        return next;
    return search_node(h, key, level - 1, prev);
}

bool search(struct node *h, int key)
{
    struct node *prev[MAXLEVEL];
#ifndef one_lock
    pthread_mutex_lock(&h->mutex);
#endif
    struct node *curr = search_node(h, key, MAXLEVEL - 1, prev);
    bool found = curr != NULL && curr->key == key; //~[one_lock] RACE read
#ifndef one_lock
    pthread_mutex_unlock(&h->mutex);
#endif
    return found;
}

bool insert(struct node *h, int key, int value)
{
    struct node *prev[MAXLEVEL];
#ifndef one_lock
    pthread_mutex_lock(&h->mutex);
#endif
    struct node *curr = search_node(h, key, MAXLEVEL - 1, prev);
    if (curr != NULL && curr->key == key) { //~[one_lock] RACE read
        if (curr == prev[1]->next[0]) //~[one_lock] RACE read //~[one_lock] RACE@listing2 read
            curr->value = value; //~[one_lock] RACE write //~[one_lock] RACE write/write
#ifndef one_lock
        pthread_mutex_unlock(&h->mutex);
#endif
        return false;
    }
    struct node *node = create(key, value);
    int level = rand_level(key);
#ifdef one_lock
    pthread_mutex_lock(&prev[0]->mutex); //~[one_lock] RACE read
#endif
    node->next[0] = prev[0]->next[0]; //~[one_lock] RACE
    prev[0]->next[0] = node; //~[one_lock] RACE write //~[one_lock] RACE@listing2 write
    if (level == 1) {
        node->next[1] = prev[1]->next[1]; //~[one_lock] RACE
        prev[1]->next[1] = node; //~[one_lock] RACE write
    }
#ifdef one_lock
    pthread_mutex_unlock(&prev[0]->mutex); //~[one_lock] RACE read
#else
    pthread_mutex_unlock(&h->mutex);
#endif
    return true;
}
//~[one_lock] PAIR insert insert findings
//~[one_lock] PAIR insert search findings
//~[one_lock] PAIR search search safe
//~[fixed,deep] SAFE
