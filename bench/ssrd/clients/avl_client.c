/* An AVL tree of three keys: a root with two children. */
#include "../avl.c"

static struct node *shape(void)
{
    struct node *h = create();
    for (int key = 2; key <= 6; key += 2)
        insert(h, key, 10 * key);
    return h;
}

#include "map.h"
