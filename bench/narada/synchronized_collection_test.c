#include "synchronized_collection.h"

#include <assert.h>
#include <stdlib.h>

static void add_to_sum(int element, void *context)
{
    *(int *)context += element;
}

int main(void)
{
    struct collection *list = col_list_new();
    struct collection *c = col_sync_new(list, NULL);
    struct collection *view = col_sync_new(list, c);
    struct collection *other_list = col_list_new();
    struct collection *other = col_sync_new(other_list, NULL);
    assert(list && c && view && other_list && other);
    assert(col_is_empty(c));

    assert(col_add(c, 1));
    assert(col_add(c, 2));
    assert(col_add(other, 2));
    assert(col_add(other, 3));

    assert(col_add_all(c, other)); /* 1 2 2 3 */
    assert(col_size(view) == 4);
    assert(col_contains(c, 3));
    assert(col_contains_all(c, other));
    assert(!col_equals(c, other));

    assert(col_remove(c, 2)); /* 1 2 3 */
    assert(col_set(c, 0, 5)); /* 5 2 3 */
    assert(col_get(c, 0, -1) == 5);
    assert(col_hash(c) == ((31u + 5) * 31 + 2) * 31 + 3);

    int sum = 0;
    col_for_each(c, add_to_sum, &sum);
    assert(sum == 10);

    size_t count = 0;
    int *copy = col_to_array(c, &count);
    assert(copy && count == 3 && copy[2] == 3);
    free(copy);

    assert(col_retain_all(c, other)); /* 2 3 */
    assert(col_remove_all(c, other));
    assert(col_size(c) == 0);
    col_clear(other);
    assert(col_size(other) == 0);

    col_free(view);
    col_free(c);
    col_free(other);
    col_free(list);
    col_free(other_list);
    return 0;
}
