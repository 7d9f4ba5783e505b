//@ run: races --op bar
//@ revisions: bare locked
// As Listing 1, but the write goes through both links: only a shape in which they meet in one node executes it.
#include <pthread.h>
#include <stddef.h>

struct node {
    int value;
    pthread_mutex_t mutex;
    struct node *next[2];
};

void bar(struct node *node, int v)
{
    struct node *first = node->next[0], *second = node->next[1];
    if (first == NULL || first != second)
        return;
#ifdef locked
    pthread_mutex_lock(&first->mutex);
#endif
    second->value = v; //~[bare] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&first->mutex);
#endif
}
//~[locked] SAFE executions=10
