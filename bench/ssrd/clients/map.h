/* map.h: the clients of a map from int to int, behind `shape()`. */
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
