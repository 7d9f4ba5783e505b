//@ run: races --op set --op get
//@ revisions: after inside
// A search tree with a lock in each node, passed from parent to child. set may write after it has let go.
#include <pthread.h>
#include <stddef.h>

struct node {
    pthread_mutex_t lock;
    int key;
    int value;
    struct node *left, *right;
};

struct tree {
    pthread_mutex_t lock;
    struct node *root;
};

/* Returns the node with its lock held, or null. */
static struct node *find(struct tree *t, int key)
{
    pthread_mutex_t *held = &t->lock;
    pthread_mutex_lock(held);
    struct node *n = t->root;
    while (n) {
        pthread_mutex_lock(&n->lock);
        pthread_mutex_unlock(held);
        held = &n->lock;
        if (n->key == key)
            return n;
        n = key < n->key ? n->left : n->right;
    }
    pthread_mutex_unlock(held);
    return NULL;
}

void set(struct tree *t, int key, int value)
{
    struct node *n = find(t, key);
    if (!n)
        return;
#ifdef after
    pthread_mutex_unlock(&n->lock);
#endif
    n->value = value; //~[after] RACE@value write //~[after] RACE write/write
#ifdef inside
    pthread_mutex_unlock(&n->lock);
#endif
}

int get(struct tree *t, int key)
{
    int value = 0;
    struct node *n = find(t, key);
    if (n) {
        value = n->value; //~[after] RACE@value read
        pthread_mutex_unlock(&n->lock);
    }
    return value;
}
//~[after] PAIR get get safe
//~[inside] SAFE
