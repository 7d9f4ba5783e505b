//@ run: races --op total --op clear
//@ revisions: bare locked endless
// A list is walked once for each of several rounds, which the inner loop knows nothing of: it begins anew with the same node each time, and
// returns. One whose rounds nobody counts does not.
#include <pthread.h>
#include <stddef.h>

struct node {
    struct node *next;
    int weight;
};

struct list {
    pthread_mutex_t lock;
    struct node *head;
    int total;
};

void total(struct list *l)
{
    int total = 0;
    pthread_mutex_lock(&l->lock);
#ifdef endless
    for (;;)
#else
    for (int round = 0; round < 3; round++)
#endif
        for (struct node *n = l->head; n != NULL; n = n->next)
            total += n->weight;
    l->total = total; //~[bare] RACE write/write with 39
    pthread_mutex_unlock(&l->lock);
}

void clear(struct list *l)
{
#ifndef bare
    pthread_mutex_lock(&l->lock);
#endif
    l->total = 0; //~[bare] RACE write/write
#ifndef bare
    pthread_mutex_unlock(&l->lock);
#endif
}
//~[locked] SAFE
//~[endless] INCONCLUSIVE
//~[endless] VACUOUS total
