/* An AVL tree of three keys: a root with two children. */
#include "../avl.c"

static struct node *shape(void)
{
    struct node *h = create();
    for (int key = 2; key <= 6; key += 2)
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
