//@ run: races --op foo
//@ revisions: bare locked
// SSRD's Listing 1: the write happens only on nodes whose two links are equal, which includes both being null.
// `foo` calls `bar` from several paths; `bar` is static, so that it is no operation of its own.
#include <pthread.h>

#define MAXLEVEL 2

struct node {
    int key;
    int value;
    pthread_mutex_t mutex;
    struct node *next[MAXLEVEL];
};

static void bar(struct node *node, int k, int v)
{
    if (node->key == k)
        if (node->next[0] == node->next[1])
            node->value = v; //~[bare] RACE write/write
}

void foo(struct node *node, int k, int v)
{
#ifdef locked
    pthread_mutex_lock(&node->mutex);
#endif
    if (v < 0)
        bar(node, k, -v);
    else if (v > 100)
        bar(node, k, 100);
    else
        bar(node, k, v);
#ifdef locked
    pthread_mutex_unlock(&node->mutex);
#endif
}
//~[locked] SAFE executions=279
