/*
 * Database sequences: generators of numbers, saved in the catalogue of their database.
 *
 * A sequence reserves some numbers in advance (its cache), so that the catalogue need not be updated for
 * each number it gives out.  Sequences are thread-safe.  The database is the caller's, who keeps it longer
 * than its sequences.
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>

struct database;
struct sequence;

/* Creates a database with an empty catalogue, or returns NULL if out of memory. */
struct database *database_new(void);

/* Destroys a database that has no sequences any more. */
void database_free(struct database *database);

/* Returns how often the catalogue of the database was updated. */
unsigned long database_update_count(const struct database *database);

/* Says whether the catalogue was updated since the last checkpoint. */
bool database_is_dirty(const struct database *database);

/* Writes out the catalogue, which is clean after that. */
void database_checkpoint(struct database *database);

/* Creates a sequence of a database, or returns NULL if its parameters are not valid or out of memory. */
struct sequence *sequence_new(struct database *database, const char *name, long long start_value,
                              long long increment, long long cache_size, long long min_value,
                              long long max_value, bool cycle, bool belongs_to_table);

/* Destroys a sequence without saving it. */
void sequence_free(struct sequence *sequence);

/* Says whether a sequence can have this start value, these bounds and this increment. */
bool sequence_is_valid(long long start_value, long long min_value, long long max_value,
                       long long increment);

/* Stores the next number of the sequence and returns true, or returns false if it is exhausted. */
bool sequence_get_next(struct sequence *sequence, long long *number);

/* Returns the number that the sequence gave out last. */
long long sequence_get_current_value(struct sequence *sequence);

/* Makes the sequence go on with a value; false if that is out of its bounds. */
bool sequence_set_start_value(struct sequence *sequence, long long start_value);

/* Returns the difference between two numbers of the sequence. */
long long sequence_get_increment(struct sequence *sequence);

/* Sets how many numbers are reserved at a time; at least one is. */
void sequence_set_cache_size(struct sequence *sequence, long long cache_size);

/* Returns the least number of the sequence. */
long long sequence_get_min_value(struct sequence *sequence);

/* Sets the least number of the sequence; false if that makes it invalid. */
bool sequence_set_min_value(struct sequence *sequence, long long min_value);

/* Returns the greatest number of the sequence. */
long long sequence_get_max_value(struct sequence *sequence);

/* Sets the greatest number of the sequence; false if that makes it invalid. */
bool sequence_set_max_value(struct sequence *sequence, long long max_value);

/* Changes the parameters of the sequence and restarts it; false if they are not valid. */
bool sequence_modify(struct sequence *sequence, long long start_value, long long min_value,
                     long long max_value, long long increment);

/* Says whether the sequence starts over when it is exhausted. */
bool sequence_get_cycle(struct sequence *sequence);

/* Sets whether the sequence starts over when it is exhausted. */
void sequence_set_cycle(struct sequence *sequence, bool cycle);

/* Says whether the sequence belongs to a column of a table. */
bool sequence_get_belongs_to_table(struct sequence *sequence);

/* Sets whether the sequence belongs to a column of a table. */
void sequence_set_belongs_to_table(struct sequence *sequence, bool belongs_to_table);

/* Writes the SQL statement that creates the sequence to buffer, as snprintf does, and returns its length. */
int sequence_get_create_sql(struct sequence *sequence, char *buffer, size_t size);

/* Saves the sequence in the catalogue. */
void sequence_flush(struct sequence *sequence);

/* Gives back the numbers reserved and saves the sequence if there were any. */
void sequence_close(struct sequence *sequence);

#endif
