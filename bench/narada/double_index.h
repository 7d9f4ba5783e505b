/*
 * Indexes of rows of two ints, a key and a value, in two parallel arrays.
 *
 * Rows are searched by their keys, or by their values after dix_set_values_search_target; they are sorted
 * for that when need be.  Positions of rows count from 0.  Threads may share an index.
 */
#ifndef DOUBLE_INDEX_H
#define DOUBLE_INDEX_H

#include <stdbool.h>

struct double_index;

/* Makes an empty index for `capacity` rows, which grows unless its size is fixed; NULL without memory. */
struct double_index *dix_new(int capacity, bool fixed_size);

/* Frees the index. */
void dix_free(struct double_index *index);

/* Stores the key at a position; returns false if there is no such row. */
bool dix_get_key(struct double_index *index, int position, int *key);

/* Stores the value at a position; returns false if there is no such row. */
bool dix_get_value(struct double_index *index, int position, int *value);

/* Sets the key at a position; returns false if there is no such row. */
bool dix_set_key(struct double_index *index, int position, int key);

/* Sets the value at a position; returns false if there is no such row. */
bool dix_set_value(struct double_index *index, int position, int value);

/* Returns how many rows there are. */
int dix_size(struct double_index *index);

/* Returns how many rows there is room for. */
int dix_capacity(struct double_index *index);

/* Drops the rows from `size` on; returns false if there are fewer. */
bool dix_set_size(struct double_index *index, int size);

/* Returns whether there is no room for another row. */
bool dix_is_full(struct double_index *index);

/* Returns whether the rows are known to be sorted. */
bool dix_is_sorted(struct double_index *index);

/* Adds a row at the end; returns false without room. */
bool dix_add_unsorted(struct double_index *index, int key, int value);

/* Adds a row at the end if the index stays sorted so; returns false if not, or without room. */
bool dix_add_sorted(struct double_index *index, int key, int value);

/* Adds a row in its order if no row is equal in what is searched; returns false if not, or without room. */
bool dix_add_unique(struct double_index *index, int key, int value);

/* Adds a row in its order; returns false without room. */
bool dix_add(struct double_index *index, int key, int value);

/* Makes searches look at keys. */
void dix_set_keys_search_target(struct double_index *index);

/* Makes searches look at values. */
void dix_set_values_search_target(struct double_index *index);

/* Searches for a key and stores its value; returns false if there is no such row. */
bool dix_lookup(struct double_index *index, int key, int *value);

/* Returns the value of a key, or a default if there is none. */
int dix_lookup_or(struct double_index *index, int key, int otherwise);

/* Returns the value of the first row with the key, or -1. */
int dix_lookup_first_equal(struct double_index *index, int key);

/* Returns the value of the first row whose key is not less, or -1. */
int dix_lookup_first_greater_equal(struct double_index *index, int key);

/* Returns the sum of the values of all rows with the key. */
long long dix_lookup_sum(struct double_index *index, int key);

/* Returns the sum of all values. */
long long dix_total_values(struct double_index *index);

/* Returns the position of the first row with the key, or -1. */
int dix_find_first_equal_key(struct double_index *index, int key);

/* Returns the position of the first row whose key is not less, or -1. */
int dix_find_first_greater_equal_key(struct double_index *index, int key);

/* Returns the position where a row with this search target would be added. */
int dix_find_slot(struct double_index *index, int target);

/* Sorts the rows by what is searched. */
void dix_sort(struct double_index *index);

/* Swaps two rows; returns false if there are no such rows. */
bool dix_swap(struct double_index *index, int first, int second);

/* Removes the row at a position; returns false if there is none. */
bool dix_remove(struct double_index *index, int position);

/* Removes the rows from `start` up to, but not including, `limit`; false if there are no such rows. */
bool dix_remove_range(struct double_index *index, int start, int limit);

/* Removes all rows. */
void dix_remove_all(struct double_index *index);

/* Removes all rows and wipes them. */
void dix_clear(struct double_index *index);

/* Replaces the rows of another index by those of this one; returns false if it has no room for them. */
bool dix_copy_to(struct double_index *index, struct double_index *other);

#endif
