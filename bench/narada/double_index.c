#include "double_index.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Quick sort leaves ranges of fewer rows to insertion sort. */
#define SHORT_RANGE 4

struct double_index {
    pthread_mutex_t lock;
    int *keys;
    int *values;
    int count;
    int capacity;
    bool fixed_size;
    bool sorted;
    bool sort_on_values;
    int target_search_value;
};

static bool has_row(const struct double_index *index, int position)
{
    return position >= 0 && position < index->count;
}

/* Returns the column that is searched and sorted. */
static int *search_column(const struct double_index *index)
{
    return index->sort_on_values ? index->values : index->keys;
}

/* Room for rows. */

static bool set_capacity(struct double_index *index, int capacity)
{
    int *keys, *values;

    keys = realloc(index->keys, (size_t)capacity * sizeof *keys);
    if (keys == NULL)
        return false;
    index->keys = keys;
    values = realloc(index->values, (size_t)capacity * sizeof *values);
    if (values == NULL)
        return false;
    index->values = values;
    index->capacity = capacity;
    return true;
}

static bool make_room(struct double_index *index)
{
    if (index->count < index->capacity)
        return true;
    if (index->fixed_size)
        return false;
    return set_capacity(index, 2 * index->capacity);
}

static void move_rows(struct double_index *index, int from, int to, int rows)
{
    memmove(index->keys + to, index->keys + from, (size_t)rows * sizeof *index->keys);
    memmove(index->values + to, index->values + from, (size_t)rows * sizeof *index->values);
}

static void put_row(struct double_index *index, int position, int key, int value)
{
    index->keys[position] = key;
    index->values[position] = value;
}

static void delete_rows(struct double_index *index, int start, int limit)
{
    move_rows(index, limit, start, index->count - limit);
    index->count -= limit - start;
    if (index->count == 0)
        index->sorted = true;
}

/* Sorting. */

static void swap_rows(struct double_index *index, int first, int second)
{
    int key = index->keys[first];
    int value = index->values[first];

    put_row(index, first, index->keys[second], index->values[second]);
    put_row(index, second, key, value);
}

static void quick_sort(struct double_index *index, int first, int last)
{
    int *column = search_column(index);

    while (last - first >= SHORT_RANGE) {
        int pivot = column[first + (last - first) / 2];
        int left = first, right = last;

        while (left <= right) {
            while (column[left] < pivot)
                left++;
            while (column[right] > pivot)
                right--;
            if (left <= right)
                swap_rows(index, left++, right--);
        }
        quick_sort(index, first, right);
        first = left;
    }
}

static void insertion_sort(struct double_index *index)
{
    int *column = search_column(index);

    for (int i = 1; i < index->count; i++)
        for (int j = i; j > 0 && column[j - 1] > column[j]; j--)
            swap_rows(index, j - 1, j);
}

static void sort_rows(struct double_index *index)
{
    if (index->sorted)
        return;
    quick_sort(index, 0, index->count - 1);
    insertion_sort(index);
    index->sorted = true;
}

static void set_sort_on_values(struct double_index *index, bool sort_on_values)
{
    if (index->sort_on_values != sort_on_values) {
        index->sort_on_values = sort_on_values;
        index->sorted = index->count < 2;
    }
}

/* Searching. */

/* Says whether a row at the end would keep the index sorted. */
static bool is_in_order_at_end(const struct double_index *index, int key, int value)
{
    if (!index->sorted)
        return false;
    return index->count == 0 ||
           (index->sort_on_values ? value : key) >= search_column(index)[index->count - 1];
}

/* Returns the position of the first row that is not less than the target, or the count. */
static int slot_search(struct double_index *index)
{
    const int *column;
    int low = 0, high;

    sort_rows(index);
    column = search_column(index);
    high = index->count;
    while (low < high) {
        int middle = low + (high - low) / 2;

        if (column[middle] < index->target_search_value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the position of the first row that is equal to the target, or -1. */
static int equal_search(struct double_index *index)
{
    int slot = slot_search(index);

    return slot < index->count && search_column(index)[slot] == index->target_search_value ? slot : -1;
}

static int find_key(struct double_index *index, int key)
{
    set_sort_on_values(index, false);
    index->target_search_value = key;
    return equal_search(index);
}

static int find_greater_equal_key(struct double_index *index, int key)
{
    int slot;

    set_sort_on_values(index, false);
    index->target_search_value = key;
    slot = slot_search(index);
    return slot < index->count ? slot : -1;
}

static bool insert_row(struct double_index *index, int key, int value)
{
    int slot;

    if (!make_room(index))
        return false;
    index->target_search_value = index->sort_on_values ? value : key;
    slot = slot_search(index);
    move_rows(index, slot, slot + 1, index->count - slot);
    put_row(index, slot, key, value);
    index->count++;
    return true;
}

/* The functions of indexes. */

struct double_index *dix_new(int capacity, bool fixed_size)
{
    struct double_index *index = calloc(1, sizeof *index);

    if (index == NULL)
        return NULL;
    if (!set_capacity(index, capacity > 0 ? capacity : 1) || pthread_mutex_init(&index->lock, NULL) != 0) {
        free(index->keys);
        free(index->values);
        free(index);
        return NULL;
    }
    index->fixed_size = fixed_size;
    index->sorted = true;
    return index;
}

void dix_free(struct double_index *index)
{
    if (index == NULL)
        return;
    pthread_mutex_destroy(&index->lock);
    free(index->keys);
    free(index->values);
    free(index);
}

bool dix_get_key(struct double_index *index, int position, int *key)
{
    bool ok;

    pthread_mutex_lock(&index->lock);
    ok = has_row(index, position);
    if (ok)
        *key = index->keys[position];
    pthread_mutex_unlock(&index->lock);
    return ok;
}

bool dix_get_value(struct double_index *index, int position, int *value)
{
    bool ok;

    pthread_mutex_lock(&index->lock);
    ok = has_row(index, position);
    if (ok)
        *value = index->values[position];
    pthread_mutex_unlock(&index->lock);
    return ok;
}

bool dix_set_key(struct double_index *index, int position, int key)
{
    bool ok;

    pthread_mutex_lock(&index->lock);
    ok = has_row(index, position);
    if (ok) {
        index->keys[position] = key;
        if (!index->sort_on_values)
            index->sorted = false;
    }
    pthread_mutex_unlock(&index->lock);
    return ok;
}

bool dix_set_value(struct double_index *index, int position, int value)
{
    bool ok;

    pthread_mutex_lock(&index->lock);
    ok = has_row(index, position);
    if (ok) {
        index->values[position] = value;
        if (index->sort_on_values)
            index->sorted = false;
    }
    pthread_mutex_unlock(&index->lock);
    return ok;
}

int dix_size(struct double_index *index)
{
    int size;

    pthread_mutex_lock(&index->lock);
    size = index->count;
    pthread_mutex_unlock(&index->lock);
    return size;
}

int dix_capacity(struct double_index *index)
{
    int capacity;

    pthread_mutex_lock(&index->lock);
    capacity = index->capacity;
    pthread_mutex_unlock(&index->lock);
    return capacity;
}

bool dix_set_size(struct double_index *index, int size)
{
    if (size < 0 || size > index->count)
        return false;
    index->count = size;
    return true;
}

bool dix_is_full(struct double_index *index)
{
    return index->fixed_size && index->count == index->capacity;
}

bool dix_is_sorted(struct double_index *index)
{
    return index->sorted;
}

bool dix_add_unsorted(struct double_index *index, int key, int value)
{
    bool ok;

    pthread_mutex_lock(&index->lock);
    ok = make_room(index);
    if (ok) {
        index->sorted = is_in_order_at_end(index, key, value);
        put_row(index, index->count, key, value);
        index->count++;
    }
    pthread_mutex_unlock(&index->lock);
    return ok;
}

bool dix_add_sorted(struct double_index *index, int key, int value)
{
    bool ok;

    pthread_mutex_lock(&index->lock);
    ok = is_in_order_at_end(index, key, value) && make_room(index);
    if (ok) {
        put_row(index, index->count, key, value);
        index->count++;
    }
    pthread_mutex_unlock(&index->lock);
    return ok;
}

bool dix_add_unique(struct double_index *index, int key, int value)
{
    bool ok;

    pthread_mutex_lock(&index->lock);
    index->target_search_value = index->sort_on_values ? value : key;
    ok = equal_search(index) < 0 && insert_row(index, key, value);
    pthread_mutex_unlock(&index->lock);
    return ok;
}

bool dix_add(struct double_index *index, int key, int value)
{
    bool ok;

    pthread_mutex_lock(&index->lock);
    ok = insert_row(index, key, value);
    pthread_mutex_unlock(&index->lock);
    return ok;
}

void dix_set_keys_search_target(struct double_index *index)
{
    set_sort_on_values(index, false);
}

void dix_set_values_search_target(struct double_index *index)
{
    set_sort_on_values(index, true);
}

bool dix_lookup(struct double_index *index, int key, int *value)
{
    int position;

    pthread_mutex_lock(&index->lock);
    position = find_key(index, key);
    if (position >= 0)
        *value = index->values[position];
    pthread_mutex_unlock(&index->lock);
    return position >= 0;
}

int dix_lookup_or(struct double_index *index, int key, int otherwise)
{
    int value = otherwise;

    dix_lookup(index, key, &value);
    return value;
}

int dix_lookup_first_equal(struct double_index *index, int key)
{
    return dix_lookup_or(index, key, -1);
}

int dix_lookup_first_greater_equal(struct double_index *index, int key)
{
    int position, value = -1;

    pthread_mutex_lock(&index->lock);
    position = find_greater_equal_key(index, key);
    if (position >= 0)
        value = index->values[position];
    pthread_mutex_unlock(&index->lock);
    return value;
}

long long dix_lookup_sum(struct double_index *index, int key)
{
    int position = find_key(index, key);
    long long sum = 0;

    if (position < 0)
        return 0;
    for (; position < index->count && index->keys[position] == key; position++)
        sum += index->values[position];
    return sum;
}

long long dix_total_values(struct double_index *index)
{
    long long total = 0;

    for (int i = 0; i < index->count; i++)
        total += index->values[i];
    return total;
}

int dix_find_first_equal_key(struct double_index *index, int key)
{
    int position;

    pthread_mutex_lock(&index->lock);
    position = find_key(index, key);
    pthread_mutex_unlock(&index->lock);
    return position;
}

int dix_find_first_greater_equal_key(struct double_index *index, int key)
{
    int position;

    pthread_mutex_lock(&index->lock);
    position = find_greater_equal_key(index, key);
    pthread_mutex_unlock(&index->lock);
    return position;
}

int dix_find_slot(struct double_index *index, int target)
{
    int slot;

    pthread_mutex_lock(&index->lock);
    index->target_search_value = target;
    slot = slot_search(index);
    pthread_mutex_unlock(&index->lock);
    return slot;
}

void dix_sort(struct double_index *index)
{
    pthread_mutex_lock(&index->lock);
    sort_rows(index);
    pthread_mutex_unlock(&index->lock);
}

bool dix_swap(struct double_index *index, int first, int second)
{
    if (!has_row(index, first) || !has_row(index, second))
        return false;
    swap_rows(index, first, second);
    index->sorted = false;
    return true;
}

bool dix_remove(struct double_index *index, int position)
{
    bool ok;

    pthread_mutex_lock(&index->lock);
    ok = has_row(index, position);
    if (ok)
        delete_rows(index, position, position + 1);
    pthread_mutex_unlock(&index->lock);
    return ok;
}

bool dix_remove_range(struct double_index *index, int start, int limit)
{
    if (start < 0 || start > limit || limit > index->count)
        return false;
    delete_rows(index, start, limit);
    return true;
}

void dix_remove_all(struct double_index *index)
{
    index->count = 0;
    index->sorted = true;
}

void dix_clear(struct double_index *index)
{
    memset(index->keys, 0, (size_t)index->capacity * sizeof *index->keys);
    memset(index->values, 0, (size_t)index->capacity * sizeof *index->values);
    dix_remove_all(index);
}

bool dix_copy_to(struct double_index *index, struct double_index *other)
{
    bool ok = true;

    if (index == other)
        return true;
    pthread_mutex_lock(&index->lock);
    if (other->capacity < index->count)
        ok = !other->fixed_size && set_capacity(other, index->count);
    if (ok) {
        memcpy(other->keys, index->keys, (size_t)index->count * sizeof *other->keys);
        memcpy(other->values, index->values, (size_t)index->count * sizeof *other->values);
        other->count = index->count;
        other->sorted = false;
    }
    pthread_mutex_unlock(&index->lock);
    return ok;
}
