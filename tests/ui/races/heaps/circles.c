//@ run: races
//@ revisions: counts marks wrong
//@ flags: --op walk --depth 2
// A walk that writes to each node never ends on a circular list, which is dropped; one that marks nodes does, and it is not.
#include <pthread.h>

struct node {
    int visits;
    struct node *next;
};
struct list {
    pthread_mutex_t lock;
    struct node *head;
    int walks;
};

void walk(struct list *l)
{
    pthread_mutex_lock(&l->lock);
#ifdef marks
    for (struct node *n = l->head; n && !n->visits; n = n->next)
        n->visits = 1;
#else
    for (struct node *n = l->head; n; n = n->next) {
        n->visits++;
        l->walks++; //~[wrong] RACE
        //~^[wrong] RACE
    }
#endif
    pthread_mutex_unlock(&l->lock);
#ifdef wrong
    l->walks = 0; //~[wrong] RACE
    //~^[wrong] RACE
    //~^^[wrong] RACE
#endif
}
//~[counts] SAFE shapes=2
//~[marks] SAFE shapes=4
