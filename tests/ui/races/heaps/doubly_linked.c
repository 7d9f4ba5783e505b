//@ run: races --op push --op back_of_first --op pop
//@ revisions: early late
// Links in both directions: pushing writes the back link of the node that was first, which a reader may still look at.
// Popping frees it.
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *prev, *next;
};

struct list {
    pthread_mutex_t lock;
    struct node *first;
};

void push(struct list *l, int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->prev = NULL;
    pthread_mutex_lock(&l->lock);
    n->next = l->first;
    if (n->next)
        n->next->prev = n; //~[early] RACE@back write
    l->first = n;
    pthread_mutex_unlock(&l->lock);
}

bool back_of_first(struct list *l)
{
    bool linked = false;
    pthread_mutex_lock(&l->lock);
    struct node *n = l->first;
#ifdef early
    pthread_mutex_unlock(&l->lock);
#endif
    if (n)
        linked = n->prev; //~[early] RACE@back,unlink,free read
#ifdef late
    pthread_mutex_unlock(&l->lock);
#endif
    return linked;
}

void pop(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    struct node *n = l->first;
    if (n) {
        l->first = n->next;
        if (n->next)
            n->next->prev = NULL; //~[early] RACE@unlink write
        free(n); //~[early] RACE@free free
    }
    pthread_mutex_unlock(&l->lock);
}
//~[late] SAFE executions=45
