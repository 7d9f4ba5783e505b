//@ run: races --op drop_first --op unlink_first --depth 2
// The race of the free with the later read is seen first where a node is its own neighbour. There both operations free
// the same node and cannot both complete, so that heap is outside of the precondition; a ring of two nodes shows it too.
#include <stdlib.h>

struct node {
    struct node *next;
};

void drop_first(struct node *n)
{
    if (!n)
        return;
    struct node *first = n->next; //~ RACE
    if (first) {
        n->next = first->next; //~ RACE
        free(first); //~ RACE
        //~^ RACE@drop_free free
    }
}

void unlink_first(struct node *n)
{
    struct node *first = n->next; //~ RACE
    //~^ RACE@drop_free read
    if (first) {
        n->next = first->next; //~ RACE
        free(first); //~ RACE
    }
}
