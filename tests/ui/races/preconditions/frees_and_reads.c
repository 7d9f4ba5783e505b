//@ run: races
//@ revisions: wrong right
// What fails on memory that it has freed itself fails whatever the heap is: what would race behind that is not known.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node {
    int value;
    struct node *next;
} *top;
static int pops;

int push(int value)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        return -1;
    n->value = value;
    pthread_mutex_lock(&lock);
    n->next = top;
    top = n;
    pthread_mutex_unlock(&lock);
    return 0;
}

int pop(void)
{
    pthread_mutex_lock(&lock);
    struct node *n = top;
    if (n)
        top = n->next;
    pthread_mutex_unlock(&lock);
    if (!n)
        return -1;
    int value = n->value;
#ifdef wrong
    pops++;
    free(n);
    return n->value + value; //~[wrong] SEQUENTIAL use_after_free
#else
    free(n);
    return value;
#endif
}
//~[wrong] INCONCLUSIVE
//~[right] SAFE
