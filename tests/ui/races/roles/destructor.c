//@ run: races
//@ revisions: default named told
//@[named] flags: --op put --op queue_destroy
//@[told] flags: --concurrent queue_destroy
// A caller that ends a queue has it to itself: its pairs are not explored, unless it is named or said to be concurrent.
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

void queue_destroy(struct queue *q)
{
    if (!q)
        return;
    while (q->head) { //~[named,told] RACE
        struct node *first = q->head; //~[named,told] RACE
        q->head = first->next; //~[named,told] RACE
                               //~^[named,told] USE_AFTER_FREE
        free(first); //~[named,told] RACE
    }
    free(q); //~[named,told] RACE
}

void put(struct queue *q, struct node *n)
{
    pthread_mutex_lock(&q->lock); //~[named,told] RACE
    n->next = q->head; //~[named,told] RACE
    q->head = n; //~[named,told] RACE
    pthread_mutex_unlock(&q->lock); //~[named,told] RACE
}
//~[default] SAFE
//~[default] PAIR put put safe
//~[default] PAIR put queue_destroy exclusive
//~[default] PAIR queue_destroy queue_destroy exclusive
//~[named,told] PAIR put queue_destroy findings
