// variants: usual=robust relaxed=race
// Michael and Scott's queue (PODC 1996): one thread puts, one takes, one does both. Nodes are not freed.
#include "harness.h"

struct node {
    int value;
    struct node *_Atomic next;
};
static struct node *_Atomic head, *_Atomic tail;

#ifdef relaxed
#define LINK RELAXED
#else
#define LINK RELEASE
#endif

static void put(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, NULL);
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, ACQUIRE);
        struct node *next = atomic_load_explicit(&last->next, ACQUIRE);
        if (next) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, RELEASE, RELAXED);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, LINK, RELAXED)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, node, LINK, RELAXED);
            return;
        }
    }
}

static int take(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, ACQUIRE);
        struct node *last = atomic_load_explicit(&tail, ACQUIRE);
        struct node *next = atomic_load_explicit(&first->next, ACQUIRE);
        if (!next)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, RELEASE, RELAXED);
            continue;
        }
        int value = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, RELEASE, RELAXED))
            return value;
    }
}

static void *putter(void *argument)
{
    put(1);
    return argument;
}

static void *taker(void *argument)
{
    return take() < 0 ? NULL : argument;
}

int main(void)
{
    struct node *empty = malloc(sizeof *empty);
    atomic_init(&empty->next, NULL);
    atomic_init(&head, empty);
    atomic_init(&tail, empty);
    RUN(putter, taker, putter);
    return 0;
}
