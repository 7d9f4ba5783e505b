//@ run: races --op third
//@ revisions: two three locked
//@[two] flags: --depth 2
// The depth bounds the objects on a chain of pointers: the third node is there from a depth of three on. At the limit a
// pointer may still lead back, and here that makes no third node.
#include <pthread.h>
#include <stddef.h>

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

void third(struct node *first)
{
    struct node *second = first->next;
    if (second == NULL || second == first)
        return;
    struct node *n = second->next;
    if (n == NULL || n == first || n == second)
        return;
#ifdef locked
    pthread_mutex_lock(&n->lock);
#endif
    n->value = 3; //~[three] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&n->lock);
#endif
}
//~[two,locked] SAFE
