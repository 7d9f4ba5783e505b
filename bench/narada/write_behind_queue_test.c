#include "write_behind_queue.h"

#include <assert.h>
#include <stdlib.h>

int main(void)
{
    struct wb_queue *plain = wb_coalesced_new();
    struct wb_queue *queue = wb_synchronized_new(plain);
    struct wb_queue *target = wb_coalesced_new();
    assert(plain && queue && target);
    assert(wb_is_enabled(queue));

    assert(wb_offer(queue, 1, 10));
    assert(wb_offer(queue, 2, 20));
    assert(wb_offer(queue, 3, 30));
    assert(wb_offer(queue, 1, 11));
    assert(wb_size(queue) == 3);
    assert(wb_contains(queue, 2));
    assert(wb_get(queue, 0, -1) == 11);

    int first[2];
    assert(wb_first_n(queue, first, 2) == 2);
    assert(first[0] == 11 && first[1] == 20);

    size_t count = 0;
    int *values = wb_as_array(queue, &count);
    assert(values && count == 3 && values[2] == 30);
    free(values);

    assert(wb_remove_first(queue));
    assert(wb_remove(queue, 1));
    assert(wb_drain_to(queue, target) == 1);
    assert(wb_get(target, 0, -1) == 20);

    assert(wb_offer(queue, 4, 40));
    wb_clear(queue);
    assert(wb_size(queue) == 0);

    wb_free(queue);
    wb_free(plain);
    wb_free(target);
    return 0;
}
