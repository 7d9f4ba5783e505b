#include "double_index.h"

#include <assert.h>
#include <stddef.h>

int main(void)
{
    int key = 0, value = 0;
    int result;
    long long sum;
    bool ok;
    struct double_index *index = dix_new(4, false);
    struct double_index *copy = dix_new(2, true);

    assert(index != NULL && copy != NULL);

    ok = dix_add_sorted(index, 30, 3);
    assert(ok);
    ok = dix_add_unsorted(index, 10, 9);
    assert(ok);
    ok = dix_is_sorted(index);
    assert(!ok);
    ok = dix_add_unique(index, 20, 5);
    assert(ok);
    ok = dix_add(index, 20, 4);
    assert(ok);
    ok = dix_add(index, 5, 8);
    assert(ok);
    result = dix_size(index);
    assert(result == 5);
    result = dix_capacity(index);
    assert(result == 8);

    ok = dix_lookup(index, 30, &value);
    assert(ok && value == 3);
    result = dix_lookup_or(index, 40, 7);
    assert(result == 7);
    result = dix_lookup_first_equal(index, 10);
    assert(result == 9);
    result = dix_lookup_first_greater_equal(index, 6);
    assert(result == 9);
    sum = dix_lookup_sum(index, 20);
    assert(sum == 9);
    sum = dix_total_values(index);
    assert(sum == 29);
    result = dix_find_first_equal_key(index, 20);
    assert(result == 2);
    result = dix_find_first_greater_equal_key(index, 25);
    assert(result == 4);

    ok = dix_set_key(index, 0, 50);
    assert(ok);
    ok = dix_set_value(index, 1, 1);
    assert(ok);
    dix_set_values_search_target(index);
    dix_sort(index);
    result = dix_find_slot(index, 4);
    assert(result == 2);
    ok = dix_swap(index, 0, 4);
    assert(ok);
    ok = dix_get_key(index, 0, &key);
    assert(ok && key == 50);
    ok = dix_get_value(index, 4, &value);
    assert(ok && value == 1);
    dix_set_keys_search_target(index);

    ok = dix_remove(index, 0);
    assert(ok);
    ok = dix_remove_range(index, 0, 1);
    assert(ok);
    ok = dix_set_size(index, 2);
    assert(ok);
    ok = dix_copy_to(index, copy);
    assert(ok);
    ok = dix_is_full(copy);
    assert(ok);
    dix_clear(copy);
    dix_remove_all(index);

    dix_free(copy);
    dix_free(index);
    return 0;
}
