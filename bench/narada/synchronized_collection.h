/* Collections of ints: array lists, and thread-safe collections over them. */
#ifndef SYNCHRONIZED_COLLECTION_H
#define SYNCHRONIZED_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>

struct collection;

/* What col_for_each calls with each element, and with the context that it was given. */
typedef void (*col_visitor)(int element, void *context);

/* Makes an empty array list; returns NULL without memory. */
struct collection *col_list_new(void);

/* Makes a thread-safe collection over `inner`, with a lock of its own or that of `lock_of` if not NULL. */
struct collection *col_sync_new(struct collection *inner, struct collection *lock_of);

/* Frees the collection; the one that a thread-safe one is over stays the caller's. */
void col_free(struct collection *c);

/* Returns the number of elements. */
size_t col_size(struct collection *c);

/* Returns whether there are no elements. */
bool col_is_empty(struct collection *c);

/* Returns whether the element occurs. */
bool col_contains(struct collection *c, int element);

/* Returns the elements, for the caller to free, and sets `count`; returns NULL without memory. */
int *col_to_array(struct collection *c, size_t *count);

/* Adds the element at the end; returns false without memory. */
bool col_add(struct collection *c, int element);

/* Removes the first occurrence of the element; returns whether there was one. */
bool col_remove(struct collection *c, int element);

/* Returns whether all elements of `other` occur. */
bool col_contains_all(struct collection *c, struct collection *other);

/* Adds all elements of `other` at the end; returns false without memory. */
bool col_add_all(struct collection *c, struct collection *other);

/* Removes the elements that occur in `other`; returns whether there were any. */
bool col_remove_all(struct collection *c, struct collection *other);

/* Removes the elements that do not occur in `other`; returns whether there were any. */
bool col_retain_all(struct collection *c, struct collection *other);

/* Removes all elements. */
void col_clear(struct collection *c);

/* Returns the element at the index, or `fallback` if there are fewer. */
int col_get(struct collection *c, size_t index, int fallback);

/* Replaces the element at the index; returns false if there are fewer. */
bool col_set(struct collection *c, size_t index, int element);

/* Calls the visitor with each element in order. */
void col_for_each(struct collection *c, col_visitor visit, void *context);

/* Returns a hash value: equal collections have the same. */
unsigned col_hash(struct collection *c);

/* Returns whether `other` has the same elements in the same order. */
bool col_equals(struct collection *c, struct collection *other);

#endif
