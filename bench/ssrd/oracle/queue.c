/* Every queue for the oracle: items of ascending or equal priorities, each on one level or on both. */
#include "../queue.c"

#include <oracle.h>

enum { INSERT, REMOVE_MIN, SEARCH };

const char *const oracle_operations[] = { "insert", "remove_min", "search", NULL };

static struct node *head;
static int prios[THREADS], items[THREADS];

NOT_WATCHED void oracle_build(int depth, const int operation[THREADS])
{
    head = create();
    struct node *last[LEVELS] = { head, head };
    int prio_count = 0;
    while (--depth > 0) {
        int height = oracle_choose(LEVELS + 1);
        if (height == 0)
            break;
        if (prio_count == 0 || oracle_choose(2) == 0)
            prio_count++;
        struct node *n = new_node(10 * prio_count, 0, height);
        for (int i = 0; i < height; i++) {
            last[i]->next[i] = n;
            last[i] = n;
        }
        head->count++;
    }
    for (int thread = 0; thread < THREADS; thread++) {
        if (operation[thread] != REMOVE_MIN)
            prios[thread] = oracle_rank(thread, prio_count);
        if (operation[thread] == INSERT)
            items[thread] = 2 * oracle_choose(LEVELS); /* the height depends on this bit */
    }
}

NOT_WATCHED bool oracle_valid(void)
{
    return valid(head);
}

NOT_WATCHED void oracle_call(int thread, int operation)
{
    switch (operation) {
    case INSERT:
        insert(head, prios[thread], items[thread]);
        break;
    case REMOVE_MIN:
        remove_min(head);
        break;
    case SEARCH:
        search(head, prios[thread]);
        break;
    }
}
