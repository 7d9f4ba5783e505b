#include "figure2.h"
#include <pthread.h>
#include <stdlib.h>

struct wbq {
    int (*remove_first)(struct wbq *q);
    pthread_mutex_t mutex;
    struct wbq *queue; /* of a wrapper */
    int first, last;   /* of a coalesced one */
};

static int coalesced_remove_first(struct wbq *q)
{
    if (q->first == q->last)
        return 0;
    q->first++;
    return 1;
}

/* The mutex is the wrapper's own: it should be the queue's. */
static int safe_remove_first(struct wbq *q)
{
    pthread_mutex_lock(&q->mutex);
    int removed = q->queue->remove_first(q->queue);
    pthread_mutex_unlock(&q->mutex);
    return removed;
}

struct wbq *coalesced_new(void)
{
    struct wbq *q = calloc(1, sizeof *q);
    q->remove_first = coalesced_remove_first;
    q->last = 3;
    return q;
}

struct wbq *safe_new(struct wbq *inner)
{
    struct wbq *q = calloc(1, sizeof *q);
    pthread_mutex_init(&q->mutex, NULL);
    q->remove_first = safe_remove_first;
    q->queue = inner;
    return q;
}

int remove_first(struct wbq *q)
{
    return q->remove_first(q);
}
