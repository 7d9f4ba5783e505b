//@ run: races --op push
//@ revisions: outside inside
// The list is locked, its counter is not.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct list {
    pthread_mutex_t lock;
    struct node *first;
    unsigned count;
};

void push(struct list *l, int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    pthread_mutex_lock(&l->lock);
    n->next = l->first;
    l->first = n;
#ifdef inside
    l->count++;
#endif
    pthread_mutex_unlock(&l->lock);
#ifdef outside
    l->count++; //~[outside] RACE read/write //~[outside] RACE write/write
#endif
}
//~[inside] SAFE executions=2
