/* Every AVL tree for the oracle. Records of heights are 0 to 2, right or out of date: what the operations compare are
 * two of them, and one with the greater of two others. Either all nodes are present or none: an operation asks at most
 * one node for that. */
#include "../avl.c"

#include "map.h"

enum { MOST_RECORDED = 2 };

/* A subtree of at most so many nodes on a path, whose keys follow those that are in the tree. */
NOT_WATCHED static struct node *subtree(int depth, bool present, int *count)
{
    if (depth == 0 || oracle_choose(2) == 0)
        return NULL;
    struct node *left = subtree(depth - 1, present, count);
    struct node *node = new_node(10 * ++*count, 1, present);
    node->child[LEFT] = left;
    node->child[RIGHT] = subtree(depth - 1, present, count);
    for (int side = LEFT; side <= RIGHT; side++) {
        int least = node->child[side] != NULL ? 1 : 0;
        node->height[side] = least + oracle_choose(MOST_RECORDED + 1 - least);
    }
    return node;
}

NOT_WATCHED void oracle_build(int depth, const int operation[THREADS])
{
    (void)operation;
    int count = 0;
    bool present = oracle_choose(2) == 0;
    head = create();
    head->child[LEFT] = subtree(depth - 1, present, &count);
    int least = head->child[LEFT] != NULL ? 1 : 0;
    head->height[LEFT] = least + oracle_choose(MOST_RECORDED + 1 - least);
    for (int thread = 0; thread < THREADS; thread++)
        keys[thread] = oracle_rank(thread, count);
}
