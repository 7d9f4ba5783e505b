//@ run: races --op unlink_node
//@ revisions: bare locked
// Back links that point at the pointer that leads here: `struct node **` may point into any node, the own one included, and into one
// that nothing else leads to yet.
#include <pthread.h>

struct node {
    struct node *next;
    struct node **pprev;
};

#ifdef locked
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

void unlink_node(struct node *n)
{
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    struct node *next = n->next; //~[bare] RACE@own read
    struct node **pprev = n->pprev; //~[bare] RACE@back read
    *pprev = next; //~[bare] RACE@own write //~[bare] RACE write/write
    if (next)
        next->pprev = pprev; //~[bare] RACE@back write //~[bare] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
}
//~[locked] SAFE executions=20
