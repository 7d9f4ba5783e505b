//@ run: check
//@ revisions: usual relaxed
// Michael and Scott's queue.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node dummy;
static _Atomic(struct node *) head = &dummy, tail = &dummy;

#ifdef usual
#define LINK memory_order_release
#else
#define LINK memory_order_relaxed
#endif

static void enqueue(struct node *n)
{
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
        if (last != atomic_load_explicit(&tail, memory_order_acquire))
            continue;
        if (next) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, LINK, memory_order_relaxed);
        } else if (atomic_compare_exchange_strong_explicit(&last->next, &next, n, LINK, memory_order_relaxed)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, n, LINK, memory_order_relaxed);
            return;
        }
    }
}

static int dequeue(int *value)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, memory_order_acquire);
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (first != atomic_load_explicit(&head, memory_order_acquire))
            continue;
        if (first != last) {
            *value = next->value; //~[relaxed] RACE@value read
            if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release, memory_order_relaxed))
                return 1;
        } else if (next) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
        } else {
            return 0;
        }
    }
}

static void *produce(void *argument)
{
    struct node *n = argument;
    n->value = 7; //~[relaxed] RACE@value write
    enqueue(n);
    return NULL;
}

int main(void)
{
    static struct node node;
    pthread_t thread;
    int value;
    pthread_create(&thread, NULL, produce, &node);
    if (dequeue(&value))
        assert(value == 7);
    pthread_join(thread, NULL);
    return 0;
}
//~[usual] SAFE
