/*
 * A reader of characters over a buffer of the caller's, who keeps the buffer until the reader is closed.
 * Readers are thread-safe.
 */
#ifndef CHAR_ARRAY_READER_H
#define CHAR_ARRAY_READER_H

#include <stdbool.h>
#include <stddef.h>

struct reader;

/* Creates a reader of length characters of buffer from offset on, or returns NULL if out of memory. */
struct reader *reader_new(const char *buffer, size_t offset, size_t length);

/* Destroys a reader; the buffer is left alone. */
void reader_free(struct reader *reader);

/* Reads one character, as an unsigned char; -1 at the end or if the reader is closed. */
int reader_read(struct reader *reader);

/* Reads up to length characters to destination; returns how many, 0 at the end or if it is closed. */
size_t reader_read_into(struct reader *reader, char *destination, size_t length);

/* Skips up to count characters; returns how many, 0 at the end or if the reader is closed. */
size_t reader_skip(struct reader *reader, size_t count);

/* Says whether the reader is open and has characters left. */
bool reader_ready(struct reader *reader);

/* Remembers the position for reader_reset; false if the reader is closed. */
bool reader_mark(struct reader *reader);

/* Goes back to the position marked last, or else to the start; false if the reader is closed. */
bool reader_reset(struct reader *reader);

/* Says whether the reader supports reader_mark and reader_reset, which is always so. */
bool reader_mark_supported(const struct reader *reader);

/* Closes the reader, which does not use the buffer any more after that. */
void reader_close(struct reader *reader);

#endif
