//@ run: races --heaps reached
//@ revisions: guarded bare
// Who hands out nodes that the library frees in the end has allocated them: so does the client that is written.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int key;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

void push(struct node *n)
{
    pthread_mutex_lock(&lock);
    n->next = head;
    head = n; //~[bare] RACE@condition,read write
    pthread_mutex_unlock(&lock);
}

int first(void)
{
    int key = -1;
#ifdef guarded
    pthread_mutex_lock(&lock);
#endif
    if (head != NULL) //~[bare] RACE@condition,other read
        key = head->key; //~[bare] RACE@read,again,freed read
    //~^[bare] NULL_DEREFERENCE
#ifdef guarded
    pthread_mutex_unlock(&lock);
#endif
    return key;
}

void drop(void)
{
    pthread_mutex_lock(&lock);
    struct node *n = head;
    if (n != NULL) {
        head = n->next; //~[bare] RACE@other,again write
        free(n); //~[bare] RACE@freed free
    }
    pthread_mutex_unlock(&lock);
}
//~[guarded] SAFE
