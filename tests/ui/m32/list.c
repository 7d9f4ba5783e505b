//@ run: races --op insert --op find
//@ revisions: unlocked locked
//@ clang: -m32
// Heaps of structures with pointers of four bytes, one of them behind a union and a flexible number of others.
#include <pthread.h>
#include <stddef.h>

struct node {
    long key;
    union {
        struct node *next;
        int *other;
    } u;
    struct node *skip[2];
};

struct list {
    pthread_mutex_t lock;
    struct node *head;
};

void insert(struct list *list, struct node *n)
{
    pthread_mutex_lock(&list->lock);
    n->u.next = list->head;
    list->head = n; //~[unlocked] RACE@head write
    pthread_mutex_unlock(&list->lock);
}

int find(struct list *list, long key)
{
    int found = 0;
#ifdef locked
    pthread_mutex_lock(&list->lock);
#endif
    struct node *n = list->head; //~[unlocked] RACE@head read
    if (n && n->skip[1] && n->skip[1]->key <= key)
        n = n->skip[1];
    if (n)
        found = n->key == key;
#ifdef locked
    pthread_mutex_unlock(&list->lock);
#endif
    return found;
}
//~[locked] SAFE
