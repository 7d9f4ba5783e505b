//@ run: races
//@ revisions: locked bare
// An iterator is passed by value: its list is the one that others change, and it stands at any node.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
};

struct list {
    pthread_mutex_t lock;
    struct node *head;
};

struct iterator {
    struct list *list;
    struct node *at;
};

int value(struct iterator here)
{
    int key = 0;
#ifdef locked
    pthread_mutex_lock(&here.list->lock);
#endif
    if (here.at)
        key = here.at->key; //~[bare] RACE@key read
#ifdef locked
    pthread_mutex_unlock(&here.list->lock);
#endif
    return key;
}

void set_first(struct list *list, int key)
{
    pthread_mutex_lock(&list->lock);
    if (list->head)
        list->head->key = key; //~[bare] RACE@key write
    pthread_mutex_unlock(&list->lock);
}
//~[locked] SAFE
