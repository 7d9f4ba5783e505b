#include "sequence.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bounds of sequences stay within this limit, so that sums and differences of them do not overflow. */
#define VALUE_LIMIT (LLONG_MAX / 4)

struct catalogue {
    unsigned long updates;
    bool dirty;
};

struct database {
    struct catalogue catalogue;
};

struct sequence {
    pthread_mutex_t lock;
    struct database *database;
    char *name;
    long long value;                /* the next number */
    long long value_with_margin;    /* the first number that is not reserved */
    long long increment;
    long long cache_size;
    long long min_value;
    long long max_value;
    bool cycle;
    bool belongs_to_table;
};

struct database *database_new(void)
{
    return calloc(1, sizeof(struct database));
}

void database_free(struct database *database)
{
    free(database);
}

unsigned long database_update_count(const struct database *database)
{
    return database->catalogue.updates;
}

bool database_is_dirty(const struct database *database)
{
    return database->catalogue.dirty;
}

void database_checkpoint(struct database *database)
{
    database->catalogue.dirty = false;
}

static void database_update(struct database *database)
{
    database->catalogue.updates++;
    database->catalogue.dirty = true;
}

static long long at_least_one(long long number)
{
    return number > 1 ? number : 1;
}

struct sequence *sequence_new(struct database *database, const char *name, long long start_value,
                              long long increment, long long cache_size, long long min_value,
                              long long max_value, bool cycle, bool belongs_to_table)
{
    struct sequence *sequence;

    if (!sequence_is_valid(start_value, min_value, max_value, increment))
        return NULL;
    sequence = malloc(sizeof *sequence);
    if (sequence == NULL)
        return NULL;
    sequence->name = malloc(strlen(name) + 1);
    if (sequence->name == NULL) {
        free(sequence);
        return NULL;
    }
    if (pthread_mutex_init(&sequence->lock, NULL) != 0) {
        free(sequence->name);
        free(sequence);
        return NULL;
    }
    strcpy(sequence->name, name);
    sequence->database = database;
    sequence->value = start_value;
    sequence->value_with_margin = start_value;
    sequence->increment = increment;
    sequence->cache_size = at_least_one(cache_size);
    sequence->min_value = min_value;
    sequence->max_value = max_value;
    sequence->cycle = cycle;
    sequence->belongs_to_table = belongs_to_table;
    return sequence;
}

void sequence_free(struct sequence *sequence)
{
    if (sequence == NULL)
        return;
    pthread_mutex_destroy(&sequence->lock);
    free(sequence->name);
    free(sequence);
}

bool sequence_is_valid(long long start_value, long long min_value, long long max_value,
                       long long increment)
{
    if (min_value < -VALUE_LIMIT || max_value > VALUE_LIMIT || min_value >= max_value)
        return false;
    if (start_value < min_value || start_value > max_value || increment == 0)
        return false;
    return increment > 0 ? increment <= max_value - min_value : increment >= min_value - max_value;
}

/* Says whether the next number is at a bound or past it, in the direction of the sequence. */
static bool has_reached(const struct sequence *sequence, long long bound)
{
    return sequence->increment > 0 ? sequence->value >= bound : sequence->value <= bound;
}

static bool is_exhausted(const struct sequence *sequence)
{
    return sequence->increment > 0 ? sequence->value > sequence->max_value
                                   : sequence->value < sequence->min_value;
}

/* Reserves numbers from the next one on, as many as the cache holds; the sequence is locked. */
static void reserve(struct sequence *sequence)
{
    long long last = sequence->increment > 0 ? sequence->max_value : sequence->min_value;
    long long left = (last - sequence->value) / sequence->increment + 1;
    long long count = left < sequence->cache_size ? left : sequence->cache_size;

    sequence->value_with_margin = sequence->value + count * sequence->increment;
    database_update(sequence->database);
}

bool sequence_get_next(struct sequence *sequence, long long *number)
{
    bool available;

    pthread_mutex_lock(&sequence->lock);
    if (is_exhausted(sequence) && sequence->cycle) {
        sequence->value = sequence->increment > 0 ? sequence->min_value : sequence->max_value;
        sequence->value_with_margin = sequence->value;
    }
    available = !is_exhausted(sequence);
    if (available) {
        if (has_reached(sequence, sequence->value_with_margin))
            reserve(sequence);
        *number = sequence->value;
        sequence->value += sequence->increment;
    }
    pthread_mutex_unlock(&sequence->lock);
    return available;
}

long long sequence_get_current_value(struct sequence *sequence)
{
    long long value;

    pthread_mutex_lock(&sequence->lock);
    value = sequence->value - sequence->increment;
    pthread_mutex_unlock(&sequence->lock);
    return value;
}

bool sequence_set_start_value(struct sequence *sequence, long long start_value)
{
    if (start_value < sequence->min_value || start_value > sequence->max_value)
        return false;
    sequence->value = start_value;
    sequence->value_with_margin = start_value;
    return true;
}

long long sequence_get_increment(struct sequence *sequence)
{
    return sequence->increment;
}

void sequence_set_cache_size(struct sequence *sequence, long long cache_size)
{
    pthread_mutex_lock(&sequence->lock);
    sequence->cache_size = at_least_one(cache_size);
    pthread_mutex_unlock(&sequence->lock);
}

long long sequence_get_min_value(struct sequence *sequence)
{
    long long min_value;

    pthread_mutex_lock(&sequence->lock);
    min_value = sequence->min_value;
    pthread_mutex_unlock(&sequence->lock);
    return min_value;
}

/* Sets the bounds if the next number, unless it is past them already, stays valid; locked. */
static bool set_bounds(struct sequence *sequence, long long min_value, long long max_value)
{
    long long value = is_exhausted(sequence) ? sequence->value - sequence->increment : sequence->value;

    if (!sequence_is_valid(value, min_value, max_value, sequence->increment))
        return false;
    sequence->min_value = min_value;
    sequence->max_value = max_value;
    return true;
}

bool sequence_set_min_value(struct sequence *sequence, long long min_value)
{
    bool valid;

    pthread_mutex_lock(&sequence->lock);
    valid = set_bounds(sequence, min_value, sequence->max_value);
    pthread_mutex_unlock(&sequence->lock);
    return valid;
}

long long sequence_get_max_value(struct sequence *sequence)
{
    long long max_value;

    pthread_mutex_lock(&sequence->lock);
    max_value = sequence->max_value;
    pthread_mutex_unlock(&sequence->lock);
    return max_value;
}

bool sequence_set_max_value(struct sequence *sequence, long long max_value)
{
    bool valid;

    pthread_mutex_lock(&sequence->lock);
    valid = set_bounds(sequence, sequence->min_value, max_value);
    pthread_mutex_unlock(&sequence->lock);
    return valid;
}

bool sequence_modify(struct sequence *sequence, long long start_value, long long min_value,
                     long long max_value, long long increment)
{
    if (!sequence_is_valid(start_value, min_value, max_value, increment))
        return false;
    pthread_mutex_lock(&sequence->lock);
    sequence->min_value = min_value;
    sequence->max_value = max_value;
    sequence->increment = increment;
    pthread_mutex_unlock(&sequence->lock);
    return sequence_set_start_value(sequence, start_value);
}

bool sequence_get_cycle(struct sequence *sequence)
{
    return sequence->cycle;
}

void sequence_set_cycle(struct sequence *sequence, bool cycle)
{
    sequence->cycle = cycle;
}

bool sequence_get_belongs_to_table(struct sequence *sequence)
{
    return sequence->belongs_to_table;
}

void sequence_set_belongs_to_table(struct sequence *sequence, bool belongs_to_table)
{
    sequence->belongs_to_table = belongs_to_table;
}

int sequence_get_create_sql(struct sequence *sequence, char *buffer, size_t size)
{
    int length;

    pthread_mutex_lock(&sequence->lock);
    length = snprintf(buffer, size,
                      "CREATE SEQUENCE %s START WITH %lld INCREMENT BY %lld"
                      " MINVALUE %lld MAXVALUE %lld CACHE %lld%s%s",
                      sequence->name, sequence->value_with_margin, sequence->increment,
                      sequence->min_value, sequence->max_value, sequence->cache_size,
                      sequence->cycle ? " CYCLE" : "",
                      sequence->belongs_to_table ? " BELONGS_TO_TABLE" : "");
    pthread_mutex_unlock(&sequence->lock);
    return length;
}

void sequence_flush(struct sequence *sequence)
{
    pthread_mutex_lock(&sequence->lock);
    database_update(sequence->database);
    pthread_mutex_unlock(&sequence->lock);
}

void sequence_close(struct sequence *sequence)
{
    pthread_mutex_lock(&sequence->lock);
    if (sequence->value_with_margin != sequence->value) {
        sequence->value_with_margin = sequence->value;
        database_update(sequence->database);
    }
    pthread_mutex_unlock(&sequence->lock);
}
