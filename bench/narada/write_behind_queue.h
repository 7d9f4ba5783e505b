/* Write-behind queues: entries (a key and a value) that wait, in order, to be written to a store. */
#ifndef WRITE_BEHIND_QUEUE_H
#define WRITE_BEHIND_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct wb_queue;

/* Makes an empty queue that keeps one entry per key; returns NULL without memory. */
struct wb_queue *wb_coalesced_new(void);

/* Makes a thread-safe queue over `inner`, which stays the caller's; returns NULL without memory. */
struct wb_queue *wb_synchronized_new(struct wb_queue *inner);

/* Frees the queue and the entries that are its own; the queue that a synchronised one wraps stays. */
void wb_free(struct wb_queue *queue);

/* Adds an entry at the end, or replaces the value that waits for the key; returns false without memory. */
bool wb_offer(struct wb_queue *queue, int key, int value);

/* Returns the value at the index, or `fallback` if the queue is shorter. */
int wb_get(struct wb_queue *queue, size_t index, int fallback);

/* Copies the first values, `n` at most, into `values`; returns how many. */
size_t wb_first_n(struct wb_queue *queue, int *values, size_t n);

/* Removes the first entry; returns whether there was one. */
bool wb_remove_first(struct wb_queue *queue);

/* Removes the entry at the index; returns whether there was one. */
bool wb_remove(struct wb_queue *queue, size_t index);

/* Returns the number of entries. */
size_t wb_size(struct wb_queue *queue);

/* Returns whether an entry waits for the key. */
bool wb_contains(struct wb_queue *queue, int key);

/* Removes all entries. */
void wb_clear(struct wb_queue *queue);

/* Removes all entries and offers them, in order, to `target`; returns how many it took. */
size_t wb_drain_to(struct wb_queue *queue, struct wb_queue *target);

/* Returns the values in order, for the caller to free, and sets `count`; returns NULL without memory. */
int *wb_as_array(struct wb_queue *queue, size_t *count);

/* Returns whether the queue takes entries at all. */
bool wb_is_enabled(struct wb_queue *queue);

#endif
