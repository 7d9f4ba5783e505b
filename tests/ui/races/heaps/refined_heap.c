// What hangs behind the first node nobody asks alone: together, the second call finds there null, another node, or the first one
// again. In that case both calls can never come to their ends, so what races there does not count, though both calls can end
// on other heaps that begin alike.
//@ run: races --op take
//@ revisions: fails_on_the_second goes_on

#include <pthread.h>
#include <stddef.h>

struct node {
    struct node *next;
    long *once;
    int value;
};

struct list {
    pthread_mutex_t lock;
    struct node *head;
    long sum;
};

void take(struct list *l)
{
    pthread_mutex_lock(&l->lock);
    struct node *n = l->head;
    if (n) {
        l->head = n->next;
        l->sum += n->value; //~[goes_on] RACE@value read
        *n->once = 1;
#ifdef fails_on_the_second
        n->once = NULL;
#endif
    }
    pthread_mutex_unlock(&l->lock);
    if (n)
        n->value++; //~[goes_on] RACE@value write
    //~^[goes_on] RACE read/write
    //~^^[goes_on] RACE write/write
}
//~[fails_on_the_second] SAFE
