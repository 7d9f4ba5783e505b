//@ run: races --op set --op get --op add
//@ revisions: early late
// A singly-linked list with one lock. get lets go of it before it reads what it found.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    int value;
    struct node *next;
};

struct list {
    pthread_mutex_t lock;
    struct node *first;
};

static struct node *find(struct list *l, int key)
{
    struct node *n = l->first;
    while (n && n->key != key)
        n = n->next;
    return n;
}

void set(struct list *l, int key, int value)
{
    pthread_mutex_lock(&l->lock);
    struct node *n = find(l, key);
    if (n)
        n->value = value; //~[early] RACE@value write
    pthread_mutex_unlock(&l->lock);
}

int get(struct list *l, int key)
{
    int value = -1;
    pthread_mutex_lock(&l->lock);
    struct node *n = find(l, key);
#ifdef early
    pthread_mutex_unlock(&l->lock);
#endif
    if (n)
        value = n->value; //~[early] RACE@value read
#ifdef late
    pthread_mutex_unlock(&l->lock);
#endif
    return value;
}

void add(struct list *l, int key, int value)
{
    struct node *n = malloc(sizeof *n);
    n->key = key;
    n->value = value;
    pthread_mutex_lock(&l->lock);
    n->next = l->first;
    l->first = n;
    pthread_mutex_unlock(&l->lock);
}
//~[early] PAIR set get findings
//~[early] PAIR set set safe
//~[early] PAIR get add safe
//~[early] FINDINGS shape=reachable
//~[late] SAFE executions=75
