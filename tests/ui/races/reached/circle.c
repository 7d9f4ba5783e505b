//@ run: races --heaps reached
// A node that is put into a list twice makes a circle, in which a search for another one never ends: that is its caller's affair, and is
// listed apart. It is no deadlock.
#include <pthread.h>
#include <stddef.h>

struct node {
    struct node *next;
    int key;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

void push(struct node *n, int key)
{
    pthread_mutex_lock(&lock);
    n->next = head;
    n->key = key;
    head = n;
    pthread_mutex_unlock(&lock);
}

int count(void)
{
    int count = 0;
    pthread_mutex_lock(&lock);
    for (struct node *n = head; n != NULL; n = n->next) //~ SEQUENTIAL never_returns
        count++;
    pthread_mutex_unlock(&lock);
    return count;
}
//~ SAFE
