/* map.h: what the oracles of maps from int to int have in common. Behind the structure; before the heaps. */
#include <oracle.h>

enum { INSERT, DELETE, SEARCH };

const char *const oracle_operations[] = { "insert", "delete", "search", NULL };

static struct node *head;
static int keys[THREADS];

NOT_WATCHED bool oracle_valid(void)
{
    return valid(head);
}

NOT_WATCHED void oracle_call(int thread, int operation)
{
    switch (operation) {
    case INSERT:
        insert(head, keys[thread], 2 + thread);
        break;
    case DELETE:
        delete(head, keys[thread]);
        break;
    case SEARCH:
        search(head, keys[thread]);
        break;
    }
}
