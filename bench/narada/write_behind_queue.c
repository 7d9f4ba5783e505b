#define _POSIX_C_SOURCE 200809L

#include "write_behind_queue.h"

#include <pthread.h>
#include <stdlib.h>

/* The operations of one kind of queue. */
struct wb_ops {
    void (*free)(struct wb_queue *queue);
    bool (*offer)(struct wb_queue *queue, int key, int value);
    int (*get)(struct wb_queue *queue, size_t index, int fallback);
    size_t (*first_n)(struct wb_queue *queue, int *values, size_t n);
    bool (*remove_first)(struct wb_queue *queue);
    bool (*remove)(struct wb_queue *queue, size_t index);
    size_t (*size)(struct wb_queue *queue);
    bool (*contains)(struct wb_queue *queue, int key);
    void (*clear)(struct wb_queue *queue);
    size_t (*drain_to)(struct wb_queue *queue, struct wb_queue *target);
    int *(*as_array)(struct wb_queue *queue, size_t *count);
    bool (*is_enabled)(struct wb_queue *queue);
};

/* What every queue begins with. */
struct wb_queue {
    const struct wb_ops *ops;
};

/* ---- The coalesced queue: a list of entries in the order in which their keys came. ---- */

struct entry {
    int key;
    int value;
    struct entry *next;
};

struct coalesced_queue {
    struct wb_queue base;
    struct entry *first;
    struct entry *last;
    size_t count;
};

static struct coalesced_queue *coalesced(struct wb_queue *queue)
{
    return (struct coalesced_queue *)queue;
}

static struct entry *find_key(struct coalesced_queue *q, int key)
{
    struct entry *e = q->first;
    while (e && e->key != key)
        e = e->next;
    return e;
}

/* Takes all entries out of the queue; returns the first of them. */
static struct entry *detach_all(struct coalesced_queue *q)
{
    struct entry *first = q->first;
    q->first = NULL;
    q->last = NULL;
    q->count = 0;
    return first;
}

static bool coalesced_offer(struct wb_queue *queue, int key, int value)
{
    struct coalesced_queue *q = coalesced(queue);
    struct entry *e = find_key(q, key);
    if (e) {
        e->value = value;
        return true;
    }
    e = malloc(sizeof *e);
    if (!e)
        return false;
    e->key = key;
    e->value = value;
    e->next = NULL;
    if (q->last)
        q->last->next = e;
    else
        q->first = e;
    q->last = e;
    q->count++;
    return true;
}

static int coalesced_get(struct wb_queue *queue, size_t index, int fallback)
{
    struct entry *e = coalesced(queue)->first;
    for (; e && index > 0; index--)
        e = e->next;
    return e ? e->value : fallback;
}

static size_t coalesced_first_n(struct wb_queue *queue, int *values, size_t n)
{
    struct entry *e = coalesced(queue)->first;
    size_t copied = 0;
    for (; e && copied < n; e = e->next)
        values[copied++] = e->value;
    return copied;
}

static bool coalesced_remove(struct wb_queue *queue, size_t index)
{
    struct coalesced_queue *q = coalesced(queue);
    struct entry *before = NULL;
    struct entry *e = q->first;
    for (; e && index > 0; index--) {
        before = e;
        e = e->next;
    }
    if (!e)
        return false;
    if (before)
        before->next = e->next;
    else
        q->first = e->next;
    if (q->last == e)
        q->last = before;
    q->count--;
    free(e);
    return true;
}

static bool coalesced_remove_first(struct wb_queue *queue)
{
    return coalesced_remove(queue, 0);
}

static size_t coalesced_size(struct wb_queue *queue)
{
    return coalesced(queue)->count;
}

static bool coalesced_contains(struct wb_queue *queue, int key)
{
    return find_key(coalesced(queue), key) != NULL;
}

static void coalesced_clear(struct wb_queue *queue)
{
    struct entry *e = detach_all(coalesced(queue));
    while (e) {
        struct entry *next = e->next;
        free(e);
        e = next;
    }
}

static size_t coalesced_drain_to(struct wb_queue *queue, struct wb_queue *target)
{
    struct entry *e = detach_all(coalesced(queue));
    size_t moved = 0;
    while (e) {
        struct entry *next = e->next;
        if (wb_offer(target, e->key, e->value))
            moved++;
        free(e);
        e = next;
    }
    return moved;
}

static int *coalesced_as_array(struct wb_queue *queue, size_t *count)
{
    size_t n = coalesced(queue)->count;
    int *values = malloc((n > 0 ? n : 1) * sizeof *values);
    if (values)
        *count = coalesced_first_n(queue, values, n);
    return values;
}

static bool coalesced_is_enabled(struct wb_queue *queue)
{
    (void)queue;
    return true;
}

static void coalesced_free(struct wb_queue *queue)
{
    coalesced_clear(queue);
    free(queue);
}

static const struct wb_ops coalesced_ops = {
    .free = coalesced_free,
    .offer = coalesced_offer,
    .get = coalesced_get,
    .first_n = coalesced_first_n,
    .remove_first = coalesced_remove_first,
    .remove = coalesced_remove,
    .size = coalesced_size,
    .contains = coalesced_contains,
    .clear = coalesced_clear,
    .drain_to = coalesced_drain_to,
    .as_array = coalesced_as_array,
    .is_enabled = coalesced_is_enabled,
};

struct wb_queue *wb_coalesced_new(void)
{
    struct coalesced_queue *q = calloc(1, sizeof *q);
    if (!q)
        return NULL;
    q->base.ops = &coalesced_ops;
    return &q->base;
}

/* ---- The synchronised queue: thread-safe, each operation holds the mutex. ---- */

struct synchronized_queue {
    struct wb_queue base;
    struct wb_queue *inner;
    pthread_mutex_t mutex;
};

/* Locks the queue. */
static struct synchronized_queue *enter(struct wb_queue *queue)
{
    struct synchronized_queue *q = (struct synchronized_queue *)queue;
    pthread_mutex_lock(&q->mutex);
    return q;
}

static void leave(struct synchronized_queue *q)
{
    pthread_mutex_unlock(&q->mutex);
}

static bool synchronized_offer(struct wb_queue *queue, int key, int value)
{
    struct synchronized_queue *q = enter(queue);
    bool taken = wb_offer(q->inner, key, value);
    leave(q);
    return taken;
}

static int synchronized_get(struct wb_queue *queue, size_t index, int fallback)
{
    struct synchronized_queue *q = enter(queue);
    int value = wb_get(q->inner, index, fallback);
    leave(q);
    return value;
}

static size_t synchronized_first_n(struct wb_queue *queue, int *values, size_t n)
{
    struct synchronized_queue *q = enter(queue);
    size_t copied = wb_first_n(q->inner, values, n);
    leave(q);
    return copied;
}

static bool synchronized_remove_first(struct wb_queue *queue)
{
    struct synchronized_queue *q = enter(queue);
    bool removed = wb_remove_first(q->inner);
    leave(q);
    return removed;
}

static bool synchronized_remove(struct wb_queue *queue, size_t index)
{
    struct synchronized_queue *q = enter(queue);
    bool removed = wb_remove(q->inner, index);
    leave(q);
    return removed;
}

static size_t synchronized_size(struct wb_queue *queue)
{
    struct synchronized_queue *q = enter(queue);
    size_t size = wb_size(q->inner);
    leave(q);
    return size;
}

static bool synchronized_contains(struct wb_queue *queue, int key)
{
    struct synchronized_queue *q = enter(queue);
    bool found = wb_contains(q->inner, key);
    leave(q);
    return found;
}

static void synchronized_clear(struct wb_queue *queue)
{
    struct synchronized_queue *q = enter(queue);
    wb_clear(q->inner);
    leave(q);
}

static size_t synchronized_drain_to(struct wb_queue *queue, struct wb_queue *target)
{
    struct synchronized_queue *q = enter(queue);
    size_t moved = wb_drain_to(q->inner, target);
    leave(q);
    return moved;
}

static int *synchronized_as_array(struct wb_queue *queue, size_t *count)
{
    struct synchronized_queue *q = enter(queue);
    int *values = wb_as_array(q->inner, count);
    leave(q);
    return values;
}

static bool synchronized_is_enabled(struct wb_queue *queue)
{
    struct synchronized_queue *q = enter(queue);
    bool enabled = wb_is_enabled(q->inner);
    leave(q);
    return enabled;
}

static void synchronized_free(struct wb_queue *queue)
{
    struct synchronized_queue *q = (struct synchronized_queue *)queue;
    pthread_mutex_destroy(&q->mutex);
    free(q);
}

static const struct wb_ops synchronized_ops = {
    .free = synchronized_free,
    .offer = synchronized_offer,
    .get = synchronized_get,
    .first_n = synchronized_first_n,
    .remove_first = synchronized_remove_first,
    .remove = synchronized_remove,
    .size = synchronized_size,
    .contains = synchronized_contains,
    .clear = synchronized_clear,
    .drain_to = synchronized_drain_to,
    .as_array = synchronized_as_array,
    .is_enabled = synchronized_is_enabled,
};

struct wb_queue *wb_synchronized_new(struct wb_queue *inner)
{
    struct synchronized_queue *q = malloc(sizeof *q);
    if (!q)
        return NULL;
    q->base.ops = &synchronized_ops;
    q->inner = inner;
    /* Recursive, so that a queue may be drained to itself. */
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&q->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return &q->base;
}

/* ---- The operations, on a queue of either kind. ---- */

void wb_free(struct wb_queue *queue)
{
    queue->ops->free(queue);
}

bool wb_offer(struct wb_queue *queue, int key, int value)
{
    return queue->ops->offer(queue, key, value);
}

int wb_get(struct wb_queue *queue, size_t index, int fallback)
{
    return queue->ops->get(queue, index, fallback);
}

size_t wb_first_n(struct wb_queue *queue, int *values, size_t n)
{
    return queue->ops->first_n(queue, values, n);
}

bool wb_remove_first(struct wb_queue *queue)
{
    return queue->ops->remove_first(queue);
}

bool wb_remove(struct wb_queue *queue, size_t index)
{
    return queue->ops->remove(queue, index);
}

size_t wb_size(struct wb_queue *queue)
{
    return queue->ops->size(queue);
}

bool wb_contains(struct wb_queue *queue, int key)
{
    return queue->ops->contains(queue, key);
}

void wb_clear(struct wb_queue *queue)
{
    queue->ops->clear(queue);
}

size_t wb_drain_to(struct wb_queue *queue, struct wb_queue *target)
{
    return queue->ops->drain_to(queue, target);
}

int *wb_as_array(struct wb_queue *queue, size_t *count)
{
    return queue->ops->as_array(queue, count);
}

bool wb_is_enabled(struct wb_queue *queue)
{
    return queue->ops->is_enabled(queue);
}
