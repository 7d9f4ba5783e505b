//@ run: races
//@ revisions: returned prepared global pointer two out unmade unbuilt deep too_deep
//@[returned] flags: --op add --op first
//@[prepared] flags: --op add --op first
//@[global] flags: --op add --op first
//@[pointer] flags: --op add --op first
//@[two] flags: --op move
//@[out] flags: --op take --private *.result
//@[unmade] flags: --op add --op first
//@[unbuilt] flags: --op add --op secret
//@[deep] flags: --op add --op third
//@[too_deep] flags: --op add --op third --client-calls 5
// A race is reachable if public calls build a heap on which it shows. What the operations are about is returned by a call,
// prepared by one, a global, or a pointer of the client's own.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
};

struct list {
    pthread_mutex_t lock;
    struct node *first;
    int secret;
};

#ifdef global
static struct list only = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};
#define LIST void
#define l (&only)
#elif defined(pointer)
// The lock is the library's, the list the client's.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#else
#define LIST struct list *l
#endif

#if defined(returned) || defined(unbuilt) || defined(two) || defined(out) || defined(deep) || defined(too_deep)
struct list *new_list(void)
{
    struct list *made = malloc(sizeof *made);
    if (!made)
        abort();
    pthread_mutex_init(&made->lock, NULL);
    made->first = NULL;
    made->secret = 0;
    return made;
}
#endif

#ifdef prepared
// A client calls it before anything else: of an object that nobody has written, it reads nothing.
void set_up(LIST)
{
    pthread_mutex_init(&l->lock, NULL);
    l->first = NULL;
    l->secret = 0;
}
#endif

#ifdef pointer
void add(struct node **head, int key)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        return;
    n->key = key;
    pthread_mutex_lock(&lock);
    n->next = *head;
    *head = n; //~[pointer] RACE@first write
    pthread_mutex_unlock(&lock);
}

int first(struct node **head)
{
    return *head != NULL; //~[pointer] RACE@first read
}
#elif !defined(two) && !defined(out)
#ifdef global
void add(int key)
#else
void add(LIST, int key)
#endif
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        return;
    n->key = key;
    pthread_mutex_lock(&l->lock);
    n->next = l->first; //~[unbuilt] RACE@a read
    l->first = n; //~[returned,prepared,global,unmade] RACE@first write
    //~^[unbuilt] RACE@b write
    pthread_mutex_unlock(&l->lock);
}

#if !defined(unbuilt) && !defined(deep) && !defined(too_deep)
int first(LIST)
{
    struct node *n = l->first; //~[returned,prepared,global,unmade] RACE@first read
    return n ? 1 : 0;
}
#endif
#endif

#if defined(unbuilt)
// Nothing sets it: on the lists that there are, it does nothing.
void secret(LIST)
{
    if (l->secret != 0)
        l->first = NULL; //~[unbuilt] RACE write/write
                         //~^[unbuilt] RACE@a write
                         //~^^[unbuilt] RACE@b write
}
#endif

#if defined(deep) || defined(too_deep)
// Five calls build three nodes and race.
void third(LIST)
{
    pthread_mutex_lock(&l->lock);
    struct node *n = l->first;
    n = n ? n->next : NULL;
    n = n ? n->next : NULL;
    pthread_mutex_unlock(&l->lock);
    if (n)
        n->key++; //~[deep,too_deep] RACE read/write
    //~^[deep,too_deep] RACE write/write
}
#endif

#ifdef two
// Two lists of one type: a client makes both.
void move(struct list *from, struct list *to)
{
    to->first = from->first; //~[two] RACE read/write
    //~^[two] RACE write/write
}
#endif

#ifdef out
void take(LIST, int *result)
{
    *result = l->secret++; //~[out] RACE read/write
    //~^[out] RACE write/write
}
#endif
//~[returned,prepared,global,pointer,two,out,unmade,deep] FINDINGS ledger= shape=reachable
//~[unbuilt,too_deep] FINDINGS ledger= shape=assumed
