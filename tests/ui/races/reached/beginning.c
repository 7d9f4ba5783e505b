//@ run: races --heaps reached
// What is read under a lock of an object that was made known without an order races with its maker's writes, which says it all: that it
// races with the beginning of the object as well was said of critical sections, and no replay shows that.
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    struct node *next;
};

static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
static struct node *first;

void push(void)
{
    struct node *n = malloc(sizeof *n);
    pthread_mutex_init(&n->lock, NULL); //~ RACE@taken,back write
    pthread_mutex_lock(&all);
    n->next = first; //~ RACE@next write
    first = n; //~ RACE@first write
    pthread_mutex_unlock(&all);
}

int is_last(void)
{
    struct node *n = first; //~ RACE@first read
    if (n == NULL)
        return 1;
    pthread_mutex_lock(&n->lock); //~ RACE@taken read
    int last = n->next == NULL; //~ RACE@next read
    pthread_mutex_unlock(&n->lock); //~ RACE@back read
    return last;
}
//~ FINDINGS
