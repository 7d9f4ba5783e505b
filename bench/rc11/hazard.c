// variants: fences=robust weak_fences=weak
// A reader says which node it uses before it makes sure that the node is still there; who takes the node out frees it only if nobody says so.
#include "harness.h"

#ifdef weak_fences
#define FENCE ACQ_REL
#else
#define FENCE SEQ_CST
#endif

struct node {
    int value;
};
static struct node *_Atomic head;
static struct node *_Atomic hazard;

static void *reader(void *argument)
{
    struct node *node = atomic_load_explicit(&head, RELAXED);
    int value = 0;
    atomic_store_explicit(&hazard, node, RELAXED);
    atomic_thread_fence(FENCE);
    if (node && atomic_load_explicit(&head, ACQUIRE) == node)
        value = node->value;
    atomic_store_explicit(&hazard, NULL, RELEASE);
    return value < 0 ? NULL : argument;
}

static void *remover(void *argument)
{
    struct node *node = atomic_load_explicit(&head, RELAXED);
    atomic_store_explicit(&head, NULL, RELEASE);
    atomic_thread_fence(FENCE);
    if (atomic_load_explicit(&hazard, ACQUIRE) != node)
        free(node);
    return argument;
}

int main(void)
{
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    atomic_init(&head, node);
    RUN(reader, remover);
    return 0;
}
