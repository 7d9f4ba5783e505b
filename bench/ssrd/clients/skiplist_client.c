/* A skip list of two keys, of which one has two levels. */
#include "../skiplist.c"

static struct node *shape(void)
{
    struct node *h = create();
    for (int key = 4; key <= 5; key++)
        insert(h, key, 10 * key);
    return h;
}

static void client_insert(struct node *h, int key, int value)
{
    insert(h, key, value);
}

static void client_delete(struct node *h, int key, int unused)
{
    (void)unused;
    delete(h, key);
}

static void client_search(struct node *h, int key, int unused)
{
    (void)unused;
    search(h, key);
}

#include "client.h"
