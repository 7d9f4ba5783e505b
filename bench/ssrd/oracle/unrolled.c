/* Every unrolled list for the oracle: nodes of one key or more, up to the depth. The keys' order is all that counts. */
#include "../unrolled.c"

#include "map.h"

NOT_WATCHED void oracle_build(int depth, const int operation[THREADS])
{
    (void)operation;
    head = new_node();
    struct node *last = head;
    while (--depth > 0) {
        int count = oracle_choose(CAPACITY + 1);
        if (count == 0)
            break;
        last->next = new_node();
        last = last->next;
        last->count = count;
        for (int i = 0; i < count; i++) {
            last->key[i] = 10 * ++head->total;
            last->value[i] = 1;
        }
    }
    for (int thread = 0; thread < THREADS; thread++)
        keys[thread] = oracle_rank(thread, head->total);
}
