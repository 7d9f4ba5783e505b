/* A skip list of two keys, of which one has two levels. */
#include "../skiplist.c"

static struct node *shape(void)
{
    struct node *h = create();
    for (int key = 4; key <= 5; key++)
        insert(h, key, 10 * key);
    return h;
}

#include "map.h"
