//@ run: races --op insert --op contains --op take
//@ revisions: unlocked_key locked
//@ timeout: 600
// A sorted list with a header, locked hand over hand: the lock of the place that holds a link protects the link, that of a
// node its key. contains may look at the next key before it takes the lock of that node.
// take frees a node while it still holds the lock of the link that led there, so that whoever comes later comes after the
// free, on every shape.
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int key;
    pthread_mutex_t lock;
    struct node *next;
};

struct list {
    pthread_mutex_t lock;
    struct node *first;
};

/* A link with its lock held, and the node behind it, locked as well, or null. */
struct place {
    struct node **link;
    pthread_mutex_t *lock;
    struct node *node;
};

static struct place locate(struct list *l, int key)
{
    struct place p = {&l->first, &l->lock, NULL};
    pthread_mutex_lock(p.lock);
    while ((p.node = *p.link) != NULL) {
        pthread_mutex_lock(&p.node->lock);
        if (p.node->key >= key)
            break;
        pthread_mutex_unlock(p.lock);
        p.lock = &p.node->lock;
        p.link = &p.node->next;
    }
    return p;
}

static void leave(struct place p)
{
    if (p.node)
        pthread_mutex_unlock(&p.node->lock);
    pthread_mutex_unlock(p.lock);
}

bool insert(struct list *l, int key)
{
    struct place p = locate(l, key);
    bool fresh = !p.node || p.node->key != key;
    if (fresh) {
        struct node *n = malloc(sizeof *n);
        n->key = key;
        n->next = p.node;
        pthread_mutex_init(&n->lock, NULL);
        *p.link = n;
    }
    leave(p);
    return fresh;
}

bool contains(struct list *l, int key)
{
    struct place p = locate(l, key);
    bool found = p.node && p.node->key == key;
    leave(p);
#ifdef unlocked_key
    found = found && p.node->key == key; //~[unlocked_key] RACE@key read
#endif
    return found;
}

bool take(struct list *l, int key)
{
    struct place p = locate(l, key);
    bool found = p.node && p.node->key == key;
    if (found) {
        struct node *gone = p.node;
        *p.link = gone->next;
        p.node = NULL;
        pthread_mutex_unlock(&gone->lock);
        pthread_mutex_destroy(&gone->lock);
        free(gone); //~[unlocked_key] RACE@key free
    }
    leave(p);
    return found;
}
//~[unlocked_key] PAIR insert contains safe
//~[locked] SAFE executions=555
//~[locked] PAIR insert insert safe
//~[locked] PAIR insert take safe
//~[locked] PAIR contains take safe
//~[locked] PAIR take take safe
