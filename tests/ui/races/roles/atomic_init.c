//@ run: races
//@ revisions: atomics looks striped published wrapped
// What is declared atomic is set by a store that is none only before anybody else can come to it (C11 7.17.2): what does so on all its ways is a
// constructor, and so is what initialises locks in a loop. Not what looks at the object before, or makes it known to others.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#define SLOTS 2

#if defined published
struct node {
    struct node *_Atomic next;
    int value;
};

struct stack {
    struct node *_Atomic top;
};

void stack_push(struct stack *s, struct node *n)
{
    struct node *top = atomic_load(&s->top);
    atomic_init(&n->next, top); //~[published] RACE
    if (atomic_compare_exchange_strong(&s->top, &top, n))
        n->value = 1; //~[published] RACE@value write
                      //~^[published] RACE
}

int stack_peek(struct stack *s)
{
    struct node *top = atomic_load(&s->top);
    return top ? top->value : 0; //~[published] RACE@value read
}
//~[published] CAUSE one thread writes `struct node.value` while another reads it
//~[published] CONTRACT `stack_push` sets up a `struct node` while `stack_push` uses it
#elif defined wrapped
// The memory that leads to it is new, and others come to know that.
struct entry {
    struct item *of;
};

struct item {
    pthread_mutex_t lock;
    int value;
};

static struct entry *_Atomic last;

int item_join(struct item *i)
{
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return -1;
    pthread_mutex_init(&i->lock, NULL); //~[wrapped] RACE
    e->of = i;
    atomic_store(&last, e);
    i->value = 1; //~[wrapped] RACE@value write
                  //~^[wrapped] RACE
    return 0;
}

int item_newest(struct item *i)
{
    struct entry *e = atomic_load(&last);
    return e ? e->of->value : i->value; //~[wrapped] RACE@value read
}
#elif defined striped
struct table {
    pthread_mutex_t locks[SLOTS];
    int values[SLOTS];
};

void table_init(struct table *t)
{
    for (int i = 0; i < SLOTS; i++) {
        pthread_mutex_init(&t->locks[i], NULL);
        t->values[i] = 0;
    }
}

void table_add(struct table *t)
{
    pthread_mutex_lock(&t->locks[1]);
    t->values[1]++;
    pthread_mutex_unlock(&t->locks[1]);
}
//~[striped] SAFE
//~[striped] PAIR table_init table_init exclusive
//~[striped] PAIR table_init table_add exclusive
#else
struct slot {
    atomic_uint turn;
    int value;
};

struct ring {
    struct slot slots[SLOTS];
    int size;
};

void ring_init(struct ring *r)
{
#ifdef looks
    if (r->size) //~[looks] RACE read
        return;
#endif
    for (unsigned i = 0; i < SLOTS; i++)
        atomic_init(&r->slots[i].turn, i); //~[looks] RACE write
    r->size = SLOTS; //~[looks] RACE write
}

int ring_size(struct ring *r)
{
    return r->size; //~[looks] RACE read
}

unsigned ring_turn(struct ring *r)
{
    return atomic_load(&r->slots[1].turn); //~[looks] RACE read
}
//~[atomics] SAFE
//~[atomics] PAIR ring_init ring_init exclusive
//~[atomics] PAIR ring_init ring_size exclusive
//~[atomics] PAIR ring_init ring_turn exclusive
#endif
