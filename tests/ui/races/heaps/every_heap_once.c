//@ run: races --op visit
//@ revisions: chain two_links flexible owner global two_owners two_globals
//@[chain] flags: --depth 3
//@[two_links] flags: --depth 2
//@[flexible] flags: --depth 2 --array 2
//@[owner] flags: --depth 3
//@[global] flags: --depth 3
//@[two_owners] flags: --depth 2
//@[two_globals] flags: --depth 1
// An operation that looks at every pointer, nearest first, and so decides the whole heap. Each heap that an enumeration
// of all graphs counts (testkit's `shapes_are_counted`) is explored, and only once: in one order of
// the two threads' sections, which do not write what the other reads.
#include <pthread.h>
#include <stddef.h>

#ifdef flexible
struct node {
    int levels;
    struct node *links[];
};
#define next links[0]
#define other links[1]
#else
struct node {
    struct node *next;
#ifdef two_links
    struct node *other;
#endif
};
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct queue {
    struct node *nodes[16];
    int length;
};

static void note(struct queue *q, struct node *n)
{
    if (!n)
        return;
    for (int i = 0; i < q->length; i++)
        if (q->nodes[i] == n)
            return;
    q->nodes[q->length++] = n;
}

static void visit_all(struct queue *q)
{
    for (int i = 0; i < q->length; i++) {
        note(q, q->nodes[i]->next);
#if defined(two_links) || defined(flexible)
        note(q, q->nodes[i]->other);
#endif
    }
}

#if defined(chain) || defined(two_links) || defined(flexible)
void visit(struct node *n)
{
    struct queue q = {{NULL}, 0};
    pthread_mutex_lock(&lock);
    note(&q, n);
    visit_all(&q);
    pthread_mutex_unlock(&lock);
}
#elif defined(owner)
struct list {
    pthread_mutex_t lock;
    struct node *head;
};

void visit(struct list *l)
{
    struct queue q = {{NULL}, 0};
    pthread_mutex_lock(&lock);
    if (l) {
        note(&q, l->head);
        visit_all(&q);
    }
    pthread_mutex_unlock(&lock);
}
#elif defined(two_owners)
struct list {
    pthread_mutex_t lock;
    struct node *head;
};

static struct list one, two;

void visit(void)
{
    struct queue q = {{NULL}, 0};
    pthread_mutex_lock(&lock);
    note(&q, one.head);
    note(&q, two.head);
    visit_all(&q);
    pthread_mutex_unlock(&lock);
}
#else
static struct node *one;
#ifdef two_globals
static struct node *two;
#endif

void visit(void)
{
    struct queue q = {{NULL}, 0};
    pthread_mutex_lock(&lock);
    note(&q, one);
#ifdef two_globals
    note(&q, two);
#endif
    visit_all(&q);
    pthread_mutex_unlock(&lock);
}
#endif
//~[chain] SAFE shapes=10 executions=10
//~[two_links] SAFE shapes=306 executions=306
//~[flexible] SAFE shapes=306 executions=306
//~[owner] SAFE shapes=7 executions=7
//~[global] SAFE shapes=10 executions=10
//~[two_owners] SAFE shapes=9 executions=9
//~[two_globals] SAFE shapes=16 executions=16
