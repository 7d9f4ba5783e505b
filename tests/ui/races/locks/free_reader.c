//@ run: races --op drop --op read_first
//@ revisions: early late
// Freeing a node that a reader still looks at: the free writes every byte.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct list {
    pthread_mutex_t lock;
    struct node *first;
};

void drop(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    struct node *n = l->first;
    l->first = NULL;
    pthread_mutex_unlock(&l->lock);
    free(n); //~[early] RACE@node free
}

int read_first(struct list *l)
{
    int value = 0;
    pthread_mutex_lock(&l->lock);
    struct node *n = l->first;
#ifdef early
    pthread_mutex_unlock(&l->lock);
#endif
    if (n)
        value = n->value; //~[early] RACE@node read
#ifdef late
    pthread_mutex_unlock(&l->lock);
#endif
    return value;
}
//~[early] PAIR drop drop safe
//~[early] PAIR read_first read_first safe
//~[late] SAFE executions=10
