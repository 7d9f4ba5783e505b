#include "char_array_reader.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    pthread_mutex_t lock;
    const char *buf;    /* NULL if closed */
    size_t pos;         /* the next character */
    size_t mark;        /* where to go back to */
    size_t count;       /* the end of what is read */
};

struct reader *reader_new(const char *buffer, size_t offset, size_t length)
{
    struct reader *reader = malloc(sizeof *reader);

    if (reader == NULL)
        return NULL;
    if (pthread_mutex_init(&reader->lock, NULL) != 0) {
        free(reader);
        return NULL;
    }
    reader->buf = buffer;
    reader->pos = offset;
    reader->mark = offset;
    reader->count = offset + length;
    return reader;
}

void reader_free(struct reader *reader)
{
    if (reader == NULL)
        return;
    pthread_mutex_destroy(&reader->lock);
    free(reader);
}

int reader_read(struct reader *reader)
{
    int c = -1;

    pthread_mutex_lock(&reader->lock);
    if (reader->buf != NULL && reader->pos < reader->count)
        c = (unsigned char)reader->buf[reader->pos++];
    pthread_mutex_unlock(&reader->lock);
    return c;
}

/* Returns how many of length characters are left; the reader is locked. */
static size_t available(const struct reader *reader, size_t length)
{
    size_t left = reader->buf != NULL ? reader->count - reader->pos : 0;

    return length < left ? length : left;
}

size_t reader_read_into(struct reader *reader, char *destination, size_t length)
{
    pthread_mutex_lock(&reader->lock);
    length = available(reader, length);
    if (length > 0) {
        memcpy(destination, reader->buf + reader->pos, length);
        reader->pos += length;
    }
    pthread_mutex_unlock(&reader->lock);
    return length;
}

size_t reader_skip(struct reader *reader, size_t count)
{
    pthread_mutex_lock(&reader->lock);
    count = available(reader, count);
    reader->pos += count;
    pthread_mutex_unlock(&reader->lock);
    return count;
}

bool reader_ready(struct reader *reader)
{
    return reader->buf != NULL && reader->pos < reader->count;
}

bool reader_mark(struct reader *reader)
{
    bool open;

    pthread_mutex_lock(&reader->lock);
    open = reader->buf != NULL;
    if (open)
        reader->mark = reader->pos;
    pthread_mutex_unlock(&reader->lock);
    return open;
}

bool reader_reset(struct reader *reader)
{
    bool open;

    pthread_mutex_lock(&reader->lock);
    open = reader->buf != NULL;
    if (open)
        reader->pos = reader->mark;
    pthread_mutex_unlock(&reader->lock);
    return open;
}

bool reader_mark_supported(const struct reader *reader)
{
    (void)reader;
    return true;
}

void reader_close(struct reader *reader)
{
    reader->buf = NULL;
}
