#define _POSIX_C_SOURCE 200809L

#include "char_array_writer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { INITIAL_CAPACITY = 32 };

struct writer {
    pthread_mutex_t lock;
    char *buffer;
    size_t count;
    size_t capacity;
};

struct writer *writer_new(void)
{
    struct writer *w = malloc(sizeof *w);
    if (!w)
        return NULL;
    w->buffer = malloc(INITIAL_CAPACITY);
    if (!w->buffer) {
        free(w);
        return NULL;
    }
    w->count = 0;
    w->capacity = INITIAL_CAPACITY;
    /* Recursive, so that a writer may be written to itself. */
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&w->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return w;
}

void writer_free(struct writer *w)
{
    pthread_mutex_destroy(&w->lock);
    free(w->buffer);
    free(w);
}

/* Adds characters at the end, which may lie in the buffer itself. The writer is locked. */
static bool put(struct writer *w, const char *chars, size_t length)
{
    size_t needed = w->count + length;
    if (needed <= w->capacity) {
        memcpy(w->buffer + w->count, chars, length);
        w->count = needed;
        return true;
    }
    size_t capacity = needed < 2 * w->capacity ? 2 * w->capacity : needed;
    char *buffer = malloc(capacity);
    if (!buffer)
        return false;
    memcpy(buffer, w->buffer, w->count);
    memcpy(buffer + w->count, chars, length);
    free(w->buffer);
    w->buffer = buffer;
    w->capacity = capacity;
    w->count = needed;
    return true;
}

bool writer_write_char(struct writer *w, char c)
{
    pthread_mutex_lock(&w->lock);
    bool written = put(w, &c, 1);
    pthread_mutex_unlock(&w->lock);
    return written;
}

bool writer_write_buffer(struct writer *w, const char *chars, size_t offset, size_t length)
{
    pthread_mutex_lock(&w->lock);
    bool written = put(w, chars + offset, length);
    pthread_mutex_unlock(&w->lock);
    return written;
}

bool writer_write_string(struct writer *w, const char *string, size_t offset, size_t length)
{
    size_t whole = strlen(string);
    if (offset > whole || length > whole - offset)
        return false;
    pthread_mutex_lock(&w->lock);
    bool written = put(w, string + offset, length);
    pthread_mutex_unlock(&w->lock);
    return written;
}

bool writer_write_to(struct writer *w, struct writer *out)
{
    pthread_mutex_lock(&w->lock);
    bool written = writer_write_buffer(out, w->buffer, 0, w->count);
    pthread_mutex_unlock(&w->lock);
    return written;
}

struct writer *writer_append_string(struct writer *w, const char *string)
{
    return writer_write_string(w, string, 0, strlen(string)) ? w : NULL;
}

struct writer *writer_append_part(struct writer *w, const char *string, size_t start, size_t end)
{
    if (end < start)
        return NULL;
    return writer_write_string(w, string, start, end - start) ? w : NULL;
}

struct writer *writer_append_char(struct writer *w, char c)
{
    return writer_write_char(w, c) ? w : NULL;
}

void writer_reset(struct writer *w)
{
    w->count = 0;
}

char *writer_to_char_array(struct writer *w, size_t *count)
{
    pthread_mutex_lock(&w->lock);
    char *copy = malloc(w->count > 0 ? w->count : 1);
    if (copy) {
        memcpy(copy, w->buffer, w->count);
        *count = w->count;
    }
    pthread_mutex_unlock(&w->lock);
    return copy;
}

size_t writer_size(struct writer *w)
{
    return w->count;
}

char *writer_to_string(struct writer *w)
{
    pthread_mutex_lock(&w->lock);
    char *string = malloc(w->count + 1);
    if (string) {
        memcpy(string, w->buffer, w->count);
        string[w->count] = '\0';
    }
    pthread_mutex_unlock(&w->lock);
    return string;
}

void writer_flush(struct writer *w)
{
    (void)w;
}

void writer_close(struct writer *w)
{
    (void)w;
}
