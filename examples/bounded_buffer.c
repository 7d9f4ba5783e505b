/* A bounded buffer with condition variables. As it stands it is correct; with -DONE_CONDITION producers and consumers
 * wait on the same condition, and a signal meant for one kind may wake the other.
 *
 *     raddle check examples/bounded_buffer.c
 *     raddle check examples/bounded_buffer.c -- -DONE_CONDITION
 */
#include <assert.h>
#include <pthread.h>

#define CAPACITY 1
#define ITEMS 2

struct buffer {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    int items[CAPACITY];
    unsigned taken, put; /* totals; their difference is in the buffer */
};

static struct buffer shared = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0,
};

static pthread_cond_t *not_empty(struct buffer *b)
{
#ifdef ONE_CONDITION
    return &b->not_full;
#else
    return &b->not_empty;
#endif
}

static void put(struct buffer *b, int item)
{
    pthread_mutex_lock(&b->lock);
    while (b->put - b->taken == CAPACITY)
        pthread_cond_wait(&b->not_full, &b->lock);
    b->items[b->put++ % CAPACITY] = item;
    pthread_cond_signal(not_empty(b));
    pthread_mutex_unlock(&b->lock);
}

static int take(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->put == b->taken)
        pthread_cond_wait(not_empty(b), &b->lock);
    int item = b->items[b->taken++ % CAPACITY];
    pthread_cond_signal(&b->not_full);
    pthread_mutex_unlock(&b->lock);
    return item;
}

static void *consumer(void *result)
{
    *(int *)result = take(&shared);
    return NULL;
}

int main(void)
{
    pthread_t threads[ITEMS];
    int results[ITEMS], sum = 0;
    for (int i = 0; i < ITEMS; i++)
        pthread_create(&threads[i], NULL, consumer, &results[i]);
    for (int i = 0; i < ITEMS; i++)
        put(&shared, i + 1);
    for (int i = 0; i < ITEMS; i++) {
        pthread_join(threads[i], NULL);
        sum += results[i];
    }
    assert(sum == ITEMS * (ITEMS + 1) / 2);
    return 0;
}
