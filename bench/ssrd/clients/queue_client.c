/* A queue of two items, of which one is on both levels. */
#include "../queue.c"

static struct node *shape(void)
{
    struct node *h = create();
    insert(h, 2, 0);
    insert(h, 5, 0);
    return h;
}

static void client_insert(struct node *h, int prio, int item)
{
    insert(h, prio, item);
}

static void client_remove_min(struct node *h, int unused, int unused_too)
{
    (void)unused;
    (void)unused_too;
    remove_min(h);
}

static void client_search(struct node *h, int prio, int unused)
{
    (void)unused;
    search(h, prio);
}

#include "client.h"
