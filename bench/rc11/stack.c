// variants: usual=robust relaxed=race
// Treiber's stack (1986): two threads push and pop, a third one pushes. Nodes are not freed.
#include "harness.h"

struct node {
    int value;
    struct node *next;
};
static struct node *_Atomic top;

#ifdef relaxed
#define PUSH RELAXED
#else
#define PUSH RELEASE
#endif

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load_explicit(&top, RELAXED);
    while (!atomic_compare_exchange_strong_explicit(&top, &node->next, node, PUSH, RELAXED))
        ;
}

static int pop(void)
{
    struct node *node = atomic_load_explicit(&top, ACQUIRE);
    while (node && !atomic_compare_exchange_strong_explicit(&top, &node, node->next, ACQUIRE, ACQUIRE))
        ;
    return node ? node->value : 0;
}

static void *both(void *argument)
{
    push(1);
    return pop() < 0 ? NULL : argument;
}

static void *pusher(void *argument)
{
    push(2);
    return argument;
}

int main(void)
{
    RUN(both, both, pusher);
    return 0;
}
