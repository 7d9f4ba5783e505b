//@ run: races --heaps reached
//@ revisions: faulty fixed
// What a constructor establishes holds: no shape is assumed. Two puts are needed for the second read of `peek`.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

struct queue {
    pthread_mutex_t lock;
    struct node *head;
};

struct queue *queue_new(void)
{
    struct queue *q = malloc(sizeof *q);
    if (!q)
        return NULL;
    pthread_mutex_init(&q->lock, NULL);
    q->head = NULL;
    return q;
}

void queue_free(struct queue *q)
{
    while (q->head) {
        struct node *first = q->head;
        q->head = first->next;
        free(first);
    }
    pthread_mutex_destroy(&q->lock);
    free(q);
}

void put(struct queue *q, int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    pthread_mutex_lock(&q->lock);
    n->next = q->head; //~[faulty] RACE@link,value write
    q->head = n; //~[faulty] RACE@head write
    pthread_mutex_unlock(&q->lock);
}

int second(struct queue *q)
{
    int value = -1;
#ifdef fixed
    pthread_mutex_lock(&q->lock);
#endif
    struct node *n = q->head; //~[faulty] RACE@head read
    if (n && n->next) //~[faulty] RACE@link read
        value = n->next->value; //~[faulty] RACE@value read
#ifdef fixed
    pthread_mutex_unlock(&q->lock);
#endif
    return value;
}
//~[fixed] SAFE
//~ PAIR put put safe
//~ PAIR put queue_free exclusive
//~[faulty] PAIR put second findings
