// A list that ends in a node with a larger key than any, not in a null pointer: where there are few nodes, an operation
// runs off the end of most lists, and these are dropped. That more are dropped so than kept is said, or `safe` would be
// believed of operations that hardly ran.
//@ run: races
//@ revisions: few many ended
//@[few,ended] flags: --depth 2
//@[many] flags: --depth 3
#include <pthread.h>
#include <stddef.h>

struct node {
    int key;
    struct node *next;
};

struct list {
    pthread_mutex_t lock;
    struct node *first;
};

// How many nodes have the key.
int count(struct list *l, int key)
{
    int count = 0;
    pthread_mutex_lock(&l->lock);
    struct node *n = l->first;
#ifdef ended
    while (n != NULL && n->key < key)
        n = n->next;
    for (; n != NULL && n->key == key; n = n->next)
        count++;
#else
    while (n->key < key)
        n = n->next;
    for (; n->key == key; n = n->next)
        count++;
#endif
    pthread_mutex_unlock(&l->lock);
    return count;
}
//~[few,many,ended] SAFE
//~[few] DROPPED count for want of depth
//~[many,ended] DROPPED count
