#define _POSIX_C_SOURCE 200809L

#include "synchronized_collection.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The operations of one kind of collection. */
struct col_ops {
    void (*free)(struct collection *c);
    size_t (*size)(struct collection *c);
    bool (*is_empty)(struct collection *c);
    bool (*contains)(struct collection *c, int element);
    int *(*to_array)(struct collection *c, size_t *count);
    bool (*add)(struct collection *c, int element);
    bool (*remove)(struct collection *c, int element);
    bool (*contains_all)(struct collection *c, struct collection *other);
    bool (*add_all)(struct collection *c, struct collection *other);
    bool (*remove_all)(struct collection *c, struct collection *other);
    bool (*retain_all)(struct collection *c, struct collection *other);
    void (*clear)(struct collection *c);
    int (*get)(struct collection *c, size_t index, int fallback);
    bool (*set)(struct collection *c, size_t index, int element);
    void (*for_each)(struct collection *c, col_visitor visit, void *context);
    unsigned (*hash)(struct collection *c);
    bool (*equals)(struct collection *c, struct collection *other);
    struct list *(*elements)(struct collection *c); /* the list that holds them, to iterate over */
};

/* What every collection begins with. */
struct collection {
    const struct col_ops *ops;
    pthread_mutex_t *mutex; /* NULL if it has none */
};

/* ---- The array list. ---- */

struct list {
    struct collection base;
    int *items;
    size_t count;
    size_t capacity;
};

static struct list *list_elements(struct collection *c)
{
    return (struct list *)c;
}

/* Returns the index of the first occurrence, or the number of elements if there is none. */
static size_t index_of(const struct list *list, int element)
{
    size_t i = 0;
    while (i < list->count && list->items[i] != element)
        i++;
    return i;
}

/* Makes room for `more` elements. */
static bool reserve(struct list *list, size_t more)
{
    size_t needed = list->count + more;
    if (needed <= list->capacity)
        return true;
    size_t capacity = needed < 2 * list->capacity ? 2 * list->capacity : needed;
    int *items = realloc(list->items, capacity * sizeof *items);
    if (!items)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

/* Keeps the elements that occur in `other`, or those that do not; returns whether any went. */
static bool filter(struct list *list, struct collection *other, bool keep_if_found)
{
    struct list *from = other->ops->elements(other);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool found = index_of(from, list->items[i]) < from->count;
        if (found == keep_if_found)
            list->items[kept++] = list->items[i];
    }
    bool changed = kept < list->count;
    list->count = kept;
    return changed;
}

static void list_free(struct collection *c)
{
    free(list_elements(c)->items);
    free(c);
}

static size_t list_size(struct collection *c)
{
    return list_elements(c)->count;
}

static bool list_is_empty(struct collection *c)
{
    return list_elements(c)->count == 0;
}

static bool list_contains(struct collection *c, int element)
{
    struct list *list = list_elements(c);
    return index_of(list, element) < list->count;
}

static int *list_to_array(struct collection *c, size_t *count)
{
    struct list *list = list_elements(c);
    size_t n = list->count;
    int *copy = malloc((n > 0 ? n : 1) * sizeof *copy);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < n; i++)
        copy[i] = list->items[i];
    *count = n;
    return copy;
}

static bool list_add(struct collection *c, int element)
{
    struct list *list = list_elements(c);
    if (!reserve(list, 1))
        return false;
    list->items[list->count++] = element;
    return true;
}

static bool list_remove(struct collection *c, int element)
{
    struct list *list = list_elements(c);
    size_t i = index_of(list, element);
    if (i == list->count)
        return false;
    list->count--;
    memmove(list->items + i, list->items + i + 1, (list->count - i) * sizeof *list->items);
    return true;
}

static bool list_contains_all(struct collection *c, struct collection *other)
{
    struct list *list = list_elements(c);
    struct list *from = other->ops->elements(other);
    for (size_t i = 0; i < from->count; i++)
        if (index_of(list, from->items[i]) == list->count)
            return false;
    return true;
}

static bool list_add_all(struct collection *c, struct collection *other)
{
    struct list *list = list_elements(c);
    struct list *from = other->ops->elements(other);
    size_t n = from->count;
    if (!reserve(list, n))
        return false;
    for (size_t i = 0; i < n; i++)
        list->items[list->count++] = from->items[i];
    return true;
}

static bool list_remove_all(struct collection *c, struct collection *other)
{
    return filter(list_elements(c), other, false);
}

static bool list_retain_all(struct collection *c, struct collection *other)
{
    return filter(list_elements(c), other, true);
}

static void list_clear(struct collection *c)
{
    list_elements(c)->count = 0;
}

static int list_get(struct collection *c, size_t index, int fallback)
{
    struct list *list = list_elements(c);
    return index < list->count ? list->items[index] : fallback;
}

static bool list_set(struct collection *c, size_t index, int element)
{
    struct list *list = list_elements(c);
    if (index >= list->count)
        return false;
    list->items[index] = element;
    return true;
}

static void list_for_each(struct collection *c, col_visitor visit, void *context)
{
    struct list *list = list_elements(c);
    for (size_t i = 0; i < list->count; i++)
        visit(list->items[i], context);
}

static unsigned list_hash(struct collection *c)
{
    struct list *list = list_elements(c);
    unsigned hash = 1;
    for (size_t i = 0; i < list->count; i++)
        hash = 31 * hash + (unsigned)list->items[i];
    return hash;
}

static bool list_equals(struct collection *c, struct collection *other)
{
    struct list *list = list_elements(c);
    struct list *from = other->ops->elements(other);
    if (list->count != from->count)
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] != from->items[i])
            return false;
    return true;
}

static const struct col_ops list_ops = {
    .free = list_free,
    .size = list_size,
    .is_empty = list_is_empty,
    .contains = list_contains,
    .to_array = list_to_array,
    .add = list_add,
    .remove = list_remove,
    .contains_all = list_contains_all,
    .add_all = list_add_all,
    .remove_all = list_remove_all,
    .retain_all = list_retain_all,
    .clear = list_clear,
    .get = list_get,
    .set = list_set,
    .for_each = list_for_each,
    .hash = list_hash,
    .equals = list_equals,
    .elements = list_elements,
};

struct collection *col_list_new(void)
{
    struct list *list = calloc(1, sizeof *list);
    if (!list)
        return NULL;
    list->base.ops = &list_ops;
    return &list->base;
}

/* ---- The thread-safe collection: each operation holds the mutex. ---- */

struct sync_collection {
    struct collection base;
    struct collection *inner;
    pthread_mutex_t own_mutex;
};

/* Locks the collection; returns the one that it is over. */
static struct collection *enter(struct collection *c)
{
    pthread_mutex_lock(c->mutex);
    return ((struct sync_collection *)c)->inner;
}

static void leave(struct collection *c)
{
    pthread_mutex_unlock(c->mutex);
}

static void sync_free(struct collection *c)
{
    struct sync_collection *s = (struct sync_collection *)c;
    pthread_mutex_destroy(&s->own_mutex);
    free(s);
}

static size_t sync_size(struct collection *c)
{
    size_t size = col_size(enter(c));
    leave(c);
    return size;
}

static bool sync_is_empty(struct collection *c)
{
    bool empty = col_is_empty(enter(c));
    leave(c);
    return empty;
}

static bool sync_contains(struct collection *c, int element)
{
    bool found = col_contains(enter(c), element);
    leave(c);
    return found;
}

static int *sync_to_array(struct collection *c, size_t *count)
{
    int *copy = col_to_array(enter(c), count);
    leave(c);
    return copy;
}

static bool sync_add(struct collection *c, int element)
{
    bool added = col_add(enter(c), element);
    leave(c);
    return added;
}

static bool sync_remove(struct collection *c, int element)
{
    bool removed = col_remove(enter(c), element);
    leave(c);
    return removed;
}

static bool sync_contains_all(struct collection *c, struct collection *other)
{
    bool found = col_contains_all(enter(c), other);
    leave(c);
    return found;
}

static bool sync_add_all(struct collection *c, struct collection *other)
{
    bool added = col_add_all(enter(c), other);
    leave(c);
    return added;
}

static bool sync_remove_all(struct collection *c, struct collection *other)
{
    bool removed = col_remove_all(enter(c), other);
    leave(c);
    return removed;
}

static bool sync_retain_all(struct collection *c, struct collection *other)
{
    bool removed = col_retain_all(enter(c), other);
    leave(c);
    return removed;
}

static void sync_clear(struct collection *c)
{
    col_clear(enter(c));
    leave(c);
}

static int sync_get(struct collection *c, size_t index, int fallback)
{
    int element = col_get(enter(c), index, fallback);
    leave(c);
    return element;
}

static bool sync_set(struct collection *c, size_t index, int element)
{
    bool replaced = col_set(enter(c), index, element);
    leave(c);
    return replaced;
}

static void sync_for_each(struct collection *c, col_visitor visit, void *context)
{
    col_for_each(enter(c), visit, context);
    leave(c);
}

static unsigned sync_hash(struct collection *c)
{
    unsigned hash = col_hash(enter(c));
    leave(c);
    return hash;
}

static bool sync_equals(struct collection *c, struct collection *other)
{
    bool equal = col_equals(enter(c), other);
    leave(c);
    return equal;
}

static struct list *sync_elements(struct collection *c)
{
    struct collection *inner = ((struct sync_collection *)c)->inner;
    return inner->ops->elements(inner);
}

static const struct col_ops sync_ops = {
    .free = sync_free,
    .size = sync_size,
    .is_empty = sync_is_empty,
    .contains = sync_contains,
    .to_array = sync_to_array,
    .add = sync_add,
    .remove = sync_remove,
    .contains_all = sync_contains_all,
    .add_all = sync_add_all,
    .remove_all = sync_remove_all,
    .retain_all = sync_retain_all,
    .clear = sync_clear,
    .get = sync_get,
    .set = sync_set,
    .for_each = sync_for_each,
    .hash = sync_hash,
    .equals = sync_equals,
    .elements = sync_elements,
};

struct collection *col_sync_new(struct collection *inner, struct collection *lock_of)
{
    struct sync_collection *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    /* Recursive, so that a visitor may use the collection that it visits. */
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&s->own_mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    s->base.ops = &sync_ops;
    s->base.mutex = lock_of && lock_of->mutex ? lock_of->mutex : &s->own_mutex;
    s->inner = inner;
    return &s->base;
}

/* ---- The operations, on a collection of either kind. ---- */

void col_free(struct collection *c)
{
    c->ops->free(c);
}

size_t col_size(struct collection *c)
{
    return c->ops->size(c);
}

bool col_is_empty(struct collection *c)
{
    return c->ops->is_empty(c);
}

bool col_contains(struct collection *c, int element)
{
    return c->ops->contains(c, element);
}

int *col_to_array(struct collection *c, size_t *count)
{
    return c->ops->to_array(c, count);
}

bool col_add(struct collection *c, int element)
{
    return c->ops->add(c, element);
}

bool col_remove(struct collection *c, int element)
{
    return c->ops->remove(c, element);
}

bool col_contains_all(struct collection *c, struct collection *other)
{
    return c->ops->contains_all(c, other);
}

bool col_add_all(struct collection *c, struct collection *other)
{
    return c->ops->add_all(c, other);
}

bool col_remove_all(struct collection *c, struct collection *other)
{
    return c->ops->remove_all(c, other);
}

bool col_retain_all(struct collection *c, struct collection *other)
{
    return c->ops->retain_all(c, other);
}

void col_clear(struct collection *c)
{
    c->ops->clear(c);
}

int col_get(struct collection *c, size_t index, int fallback)
{
    return c->ops->get(c, index, fallback);
}

bool col_set(struct collection *c, size_t index, int element)
{
    return c->ops->set(c, index, element);
}

void col_for_each(struct collection *c, col_visitor visit, void *context)
{
    c->ops->for_each(c, visit, context);
}

unsigned col_hash(struct collection *c)
{
    return c->ops->hash(c);
}

bool col_equals(struct collection *c, struct collection *other)
{
    return c->ops->equals(c, other);
}
