//@ run: races
//@ revisions: in_another extended enclosing freed header locks unknown_size
// What may lie outside of an object of the declared type, at an offset that is not known: never silently dropped.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct link {
    struct link *next;
};
struct object {
    int x;
    struct link link;
    int values[4];
    pthread_mutex_t lock;
};
struct queue {
    struct link *head;
    char *text;
};
struct vector {
    unsigned n;
    int data[1];
};
/* What the elements of an array at the end would overlap. */
struct pair {
    struct vector first, second;
};
struct base {
    int kind;
};
struct derived {
    struct base base;
    int points[4];
};
extern int table[];
extern int entries;

void operation(struct queue *q, struct vector *v, struct base *b, struct pair *p, unsigned i)
{
#if defined(in_another)
    if (i > 0 && i < v->n && p->second.n == 1)
        v->data[i] = 1;
#elif defined(extended)
    if (b->kind == 1 && i < 4)
        ((struct derived *)b)->points[i] = 1;
#elif defined(enclosing)
    if (q->head && i < 4)
        ((struct object *)((char *)q->head - offsetof(struct object, link)))->values[i] = 1;
#elif defined(freed)
    if (q->head)
        free((char *)q->head - offsetof(struct object, link));
#elif defined(header)
    if (q->text && q->text[0] == 'x')
        ((unsigned *)q->text)[-1] = 1;
#elif defined(locks)
    if (q->head)
        pthread_mutex_lock(&((struct object *)((char *)q->head - offsetof(struct object, link)))->lock);
#else
    if (i < (unsigned)entries)
        table[i] = 1;
#endif
}
//~ INCONCLUSIVE ledger=unsupported
