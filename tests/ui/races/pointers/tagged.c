//@ run: races --heaps any
//@ revisions: set exchanged added variable remainder wide unset unseen
// A pointer of the heap may have a mark in its lowest bits where the program sets one and looks at it; where it does not, it has none.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct node {
    long key;
    _Atomic(struct node *) next;
};

struct list {
    struct node *head;
};

static int erased;

static bool is_marked(struct node *n)
{
#if defined(remainder)
    return (uintptr_t)n % 2;
#elif defined(wide)
    return ((uintptr_t)n & 6) == 6;
#elif defined(unseen)
    return n != 0 && ((uintptr_t)n & 2);
#else
    return (uintptr_t)n & 1;
#endif
}

static struct node *mark(struct node *n, bool marks)
{
#if defined(exchanged)
    return (struct node *)((uintptr_t)n ^ 1);
#elif defined(added)
    return (struct node *)((uintptr_t)n + 1);
#elif defined(variable)
    return (struct node *)((uintptr_t)n | (uintptr_t)marks);
#elif defined(wide)
    return (struct node *)((uintptr_t)n | 6);
#elif defined(unset)
    return n;
#else
    return (struct node *)((uintptr_t)n | 1);
#endif
}

void erase(struct list *l, bool marks)
{
    struct node *next = atomic_load(&l->head->next);
    if (!is_marked(next))
        atomic_compare_exchange_strong(&l->head->next, &next, mark(next, marks));
}

void sweep(struct list *l)
{
    if (is_marked(atomic_load(&l->head->next)))
        erased++; //~[set,exchanged,added,variable,remainder,wide] RACE read/write
                  //~^[set,exchanged,added,variable,remainder,wide] RACE write/write
}
//~[unset,unseen] SAFE
