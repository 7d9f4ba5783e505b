//@ run: check
//@ revisions: usual relaxed
// Treiber's stack: what is pushed is released, who pops acquires it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;

#ifdef usual
#define PUSH memory_order_release
#else
#define PUSH memory_order_relaxed
#endif

static void push(struct node *n)
{
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    do
        n->next = old; //~[relaxed] RACE@next write
    while (!atomic_compare_exchange_weak_explicit(&top, &old, n, PUSH, memory_order_relaxed));
}

static struct node *pop(void)
{
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    while (old && !atomic_compare_exchange_weak_explicit(&top, &old, old->next, memory_order_acquire, memory_order_acquire)) //~[relaxed] RACE@next read
        ;
    return old;
}

static void *work(void *argument)
{
    push(argument);
    struct node *mine = pop();
    assert(mine);
    return NULL;
}

int main(void)
{
    static struct node nodes[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &nodes[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
//~[usual] SAFE
