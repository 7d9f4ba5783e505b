//@ run: races --op push --op peek
//@ revisions: unlocked locked
// A list behind a global: the unlocked reader races with the link and with what the new node holds.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void push(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value; //~[unlocked] RACE@content write
    pthread_mutex_lock(&lock);
    n->next = head;
    head = n; //~[unlocked] RACE@head write
    pthread_mutex_unlock(&lock);
}

int peek(void)
{
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    struct node *n = head; //~[unlocked] RACE@head read
    int value = n ? n->value : 0; //~[unlocked] RACE@content read
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    return value;
}
//~[unlocked] PAIR push push safe
//~[locked] SAFE executions=8
