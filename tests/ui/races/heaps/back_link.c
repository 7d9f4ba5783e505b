//@ run: races --op second_of_second --depth 2
//@ revisions: bare locked
// At the limit of the depth a pointer is null or leads to an object that exists: shapes with cycles are not lost there.
#include <pthread.h>
#include <stddef.h>

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

void second_of_second(struct node *first)
{
    struct node *second = first->next;
    if (second == NULL || second == first || second->next != first)
        return;
#ifdef locked
    pthread_mutex_lock(&first->lock);
#endif
    second->next->value = 3; //~[bare] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&first->lock);
#endif
}
//~[locked] SAFE executions=6
