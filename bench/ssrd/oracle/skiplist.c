/* Every skip list for the oracle whose nodes, and new nodes, have so many levels at most. */
#include "../skiplist.c"

#include "map.h"

#ifndef MOST_LEVELS
#define MOST_LEVELS LEVELS
#endif

enum { MOST_KEYS = 16 };

/* The keys in use, by rank, and the number of levels that each must lead to: 0 if that does not matter. */
static struct {
    int rank, level;
    int *place;
} used[MOST_KEYS];
static int used_count;

NOT_WATCHED static void use(int rank, int level, int *place)
{
    int at = used_count++;
    for (; at > 0 && used[at - 1].rank > rank; at--)
        used[at] = used[at - 1];
    used[at].rank = rank;
    used[at].level = level;
    used[at].place = place;
}

/* Gives every rank a key, in ascending order. */
NOT_WATCHED static void assign_keys(void)
{
    int key = -1;
    for (int i = 0, equal; i < used_count; i = equal) {
        int level = 0;
        for (equal = i; equal < used_count && used[equal].rank == used[i].rank; equal++)
            if (used[equal].level != 0)
                level = used[equal].level;
        do
            key++;
        while (level != 0 && level_of(key) != level);
        for (int j = i; j < equal; j++)
            *used[j].place = key;
    }
}

/* The number of levels that a thread's key leads to: two equal keys lead to one number. */
NOT_WATCHED static int choose_level(int rank)
{
    for (int i = 0; i < used_count; i++)
        if (used[i].rank == rank && used[i].level != 0)
            return used[i].level;
    return 1 + oracle_choose(MOST_LEVELS);
}

NOT_WATCHED void oracle_build(int depth, const int operation[THREADS])
{
    used_count = 0;
    head = create();
    struct node *last[LEVELS] = { head, head, head, head };
    while (--depth > 0) {
        int level = oracle_choose(MOST_LEVELS + 1);
        if (level == 0)
            break;
        struct node *n = new_node(0, 1, level);
        use(10 * ++head->count, 0, &n->key);
        if (level > head->level)
            head->level = level;
        for (int i = 0; i < level; i++) {
            last[i]->next[i] = n;
            last[i] = n;
        }
    }
    int count = head->count;
    for (int thread = 0; thread < THREADS; thread++) {
        int rank = oracle_rank(thread, count);
        int level = operation[thread] == INSERT ? choose_level(rank) : 0;
        use(rank, level, &keys[thread]);
    }
    assign_keys();
}
