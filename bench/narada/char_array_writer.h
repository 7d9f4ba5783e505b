/* Writers that collect characters in a buffer, which grows as needed. Threads may share a writer. */
#ifndef CHAR_ARRAY_WRITER_H
#define CHAR_ARRAY_WRITER_H

#include <stdbool.h>
#include <stddef.h>

struct writer;

/* Makes an empty writer; returns NULL without memory. */
struct writer *writer_new(void);

/* Frees the writer and its buffer. */
void writer_free(struct writer *w);

/* Writes one character; returns false without memory. */
bool writer_write_char(struct writer *w, char c);

/* Writes `length` characters from `chars + offset`; returns false without memory. */
bool writer_write_buffer(struct writer *w, const char *chars, size_t offset, size_t length);

/* Writes a part of a string; returns false if the string is shorter, or without memory. */
bool writer_write_string(struct writer *w, const char *string, size_t offset, size_t length);

/* Writes what was collected to another writer; returns false without memory. */
bool writer_write_to(struct writer *w, struct writer *out);

/* Writes a whole string; returns the writer, or NULL without memory. */
struct writer *writer_append_string(struct writer *w, const char *string);

/* Writes a string from index `start` up to `end`; returns the writer, or NULL as for write_string. */
struct writer *writer_append_part(struct writer *w, const char *string, size_t start, size_t end);

/* Writes one character; returns the writer, or NULL without memory. */
struct writer *writer_append_char(struct writer *w, char c);

/* Drops what was collected; the buffer is used again. */
void writer_reset(struct writer *w);

/* Returns a copy of the characters, for the caller to free, and sets `count`; NULL without memory. */
char *writer_to_char_array(struct writer *w, size_t *count);

/* Returns the number of characters collected. */
size_t writer_size(struct writer *w);

/* Returns the characters as a string, for the caller to free; NULL without memory. */
char *writer_to_string(struct writer *w);

/* Flushes the writer, which has no effect on one that writes to memory. */
void writer_flush(struct writer *w);

/* Closes the writer; what was collected stays, and can still be read. */
void writer_close(struct writer *w);

#endif
