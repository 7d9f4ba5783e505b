//@ run: check
//@ revisions: plain atomic
// A lock-free push onto a stack by compare and exchange: the head must be atomic.
// In the twin the last of the two successful exchanges may fail once before: the executions are the two orders
// without a failure, and the two in which the loser's load came before the winner's exchange.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

#ifdef atomic
static struct node *_Atomic head;
#else
static struct node *head;
#endif

static void push(struct node *n)
{
#ifdef atomic
    struct node *old = atomic_load(&head);
    do {
        n->next = old;
    } while (!atomic_compare_exchange_strong(&head, &old, n));
#else
    n->next = head; //~[plain] RACE@rw read
    head = n; //~[plain] RACE@rw write //~[plain] RACE write/write
#endif
}

static void *worker(void *arg)
{
    push(arg);
    return NULL;
}

int main(void)
{
    struct node n[2] = {{1, NULL}, {2, NULL}};
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &n[0]);
    pthread_create(&b, NULL, worker, &n[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef atomic
    struct node *top = atomic_load(&head);
    assert(top && top->next && !top->next->next);
#endif
    return 0;
}
//~[atomic] SAFE executions=4
