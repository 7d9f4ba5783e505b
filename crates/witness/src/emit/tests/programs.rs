//! The programs that the tests are about. Marks at the ends of lines name positions.

/// After SSRD's Listing 2 (Sun & Gupta, ISMM 2024): the write of `prev[0]->next[0]` under a lock, the read of
/// `prev[1]->next[0]` without one. Every thread reads the same bytes before, in `search_node`.
pub(super) const SKIP_LIST: &str = r"#include <pthread.h>
#include <stdlib.h>
struct node { int key, value; pthread_mutex_t mutex; struct node *next[2]; };
static struct node *search_node(struct node *h, int k, int i, struct node **p)
{
    struct node *n = h->next[i];
    if (n != NULL && n->key < k)
        return search_node(n, k, i, p);
    p[i] = h;
    return i == 0 ? n : search_node(h, k, i - 1, p);
}
int insert(struct node *h, int k, int v)
{
    struct node *prev[2];
    struct node *curr = search_node(h, k, 1, prev);
    if (curr != NULL && curr->key == k) {
        if (curr == prev[1]->next[0]) // read
            curr->value = v;
        return 0;
    }
    struct node *node = calloc(1, sizeof *node);
    node->key = k;
    pthread_mutex_init(&node->mutex, NULL); // init
    pthread_mutex_lock(&prev[0]->mutex); // lock
    node->next[0] = prev[0]->next[0];
    prev[0]->next[0] = node; // write
    pthread_mutex_unlock(&prev[0]->mutex); // unlock
    return 1;
}
";

/// Two threads count without a lock; `main` looks at the result.
pub(super) const LOST_UPDATE: &str = r"#include <assert.h>
#include <pthread.h>
static int count;
static void *worker(void *arg)
{
    count++; // count
    return arg;
}
int main(void)
{
    pthread_t a, b;
    count++;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(count == 3); // check
    return 7;
}
";

/// The reader looks only after it has seen `ready`, which is not enough.
pub(super) const READY: &str = r"#include <pthread.h>
struct box { pthread_mutex_t lock; int ready, data; };
void put(struct box *b, int value)
{
    pthread_mutex_lock(&b->lock); // put_lock
    b->ready = 1; // ready
    pthread_mutex_unlock(&b->lock); // put_unlock
    b->data = value; // write
}
int get(struct box *b)
{
    pthread_mutex_lock(&b->lock); // get_lock
    int ready = b->ready; // see
    pthread_mutex_unlock(&b->lock); // get_unlock
    return ready ? b->data : 0; // read
}
";

/// A node is freed while a reader looks at it.
pub(super) const FREED: &str = r"#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct list { pthread_mutex_t lock; struct node *first; };
void drop(struct list *l)
{
    pthread_mutex_lock(&l->lock); // drop_lock
    struct node *n = l->first;
    l->first = NULL;
    pthread_mutex_unlock(&l->lock); // drop_unlock
    free(n); // free
}
int read_first(struct list *l)
{
    int value = 0;
    pthread_mutex_lock(&l->lock); // read_lock
    struct node *n = l->first;
    pthread_mutex_unlock(&l->lock); // read_unlock
    if (n)
        value = n->value; // read
    return value;
}
";

/// The race is about the second node, which the loop comes to in its second iteration.
pub(super) const LOOP: &str = r"#include <stddef.h>
typedef int number;
struct node { number value; struct node *next; };
number sum(struct node *n)
{
    number total = 0;
    for (; n; n = n->next)
        total += n->value; // read
    return total;
}
void bump(struct node *n, number by)
{
    if (n->next)
        n->next->value += by; // write
}
";

/// C11 threads, a static function, a static variable inside.
pub(super) const C11: &str = r"#include <threads.h>
struct counter { mtx_t lock; int value; };
__attribute__((unused)) static int bump(struct counter *c, int locked)
{
    if (locked)
        mtx_lock(&c->lock); // lock
    int before = c->value++; // value
    if (locked)
        mtx_unlock(&c->lock); // unlock
    return before;
}
static struct counter shared;
static once_flag once = ONCE_FLAG_INIT;
static void setup(void)
{
    mtx_init(&shared.lock, mtx_plain); // init
}
static int worker(void *arg)
{
    call_once(&once, setup); // once
    return bump(&shared, arg != NULL);
}
int main(void)
{
    thrd_t a, b;
    thrd_create(&a, worker, &shared);
    thrd_create(&b, worker, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    return 0;
}
";

/// A static global list, a function pointer, a string.
pub(super) const GLOBALS: &str = r#"#include <string.h>
struct task { void (*step)(struct task *); int state; };
static struct task *current;
static void advance(struct task *t)
{
    t->state = 1; // write
}
void (*const steps[])(struct task *) = {advance};
void run(void)
{
    if (current)
        current->step(current);
}
unsigned long length(const char *s, double scale, short n)
{
    if (strcmp(s, "ab") == 0 && scale == 0.5 && n == -3) // compare
        return (unsigned long)current->state; // read
    return strlen(s);
}
"#;

/// A consumer waits for a value; the producer changes it once more, without the lock.
pub(super) const CONDITION: &str = r"#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int full, data;
static void *consumer(void *arg)
{
    pthread_mutex_lock(&lock); // lock
    while (!full)
        pthread_cond_wait(&filled, &lock); // wait
    int value = data; // read
    pthread_mutex_unlock(&lock);
    return value ? arg : NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, consumer, NULL);
    pthread_mutex_lock(&lock); // main_lock
    full = 1;
    pthread_cond_signal(&filled); // signal
    pthread_mutex_unlock(&lock); // main_unlock
    data = 1; // write
    pthread_join(t, NULL);
    return 0;
}
";

/// Two locks in two orders, the outcome of an input.
pub(super) const DEADLOCK: &str = r#"#include <pthread.h>
#include <raddle.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg)
{
    pthread_mutex_lock(&b); // b_first
    pthread_mutex_lock(&a); // a_second
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}
int main(void)
{
    pthread_t t;
    int k;
    raddle_symbolic(&k, sizeof k, "k");
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&a); // a_first
    if (k == 77)
        pthread_mutex_lock(&b); // b_second
    if (k == 77)
        pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a); // a_unlock
    pthread_join(t, NULL); // join
    return 0;
}
"#;

/// Message passing with a relaxed flag, which orders nothing.
pub(super) const RELAXED: &str = r"#include <pthread.h>
#include <stdatomic.h>
static _Atomic int flag;
static atomic_long tickets;
static int data;
static void *reader(void *arg)
{
    atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed); // ticket
    if (atomic_load_explicit(&flag, memory_order_relaxed)) // load
        return data ? arg : NULL; // read
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    data = 1; // write
    atomic_store_explicit(&flag, 1, memory_order_relaxed); // store
    pthread_join(t, NULL);
    return 0;
}
";

/// Freed, then used, by one thread alone; or freed twice.
pub(super) const AFTER_FREE: &str = r#"#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
static void *worker(void *arg)
{
    free(arg); // free
    return NULL;
}
int main(void)
{
    pthread_t t;
    int *p = malloc(sizeof *p), *null = NULL;
    int first = __VERIFIER_nondet_int(), second = __VERIFIER_nondet_int();
    pthread_create(&t, NULL, worker, p);
    pthread_join(t, NULL);
    if (first == 1 && second == -2)
        return *p; // use
    if (first == 3)
        free(p); // again
    if (first == 4)
        return *null; // null
    return 0;
}
"#;

/// A program with a `main` of its own, whose operation stands in another file.
pub(super) const CALLER: &str = r#"int main(void)
{
    return 3;
}
"#;

/// The other file: everything but the operations is its own.
pub(super) const CALLED: &str = r#"#include <pthread.h>
#include <string.h>
struct entry { int key; unsigned char name[24]; };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct entry table[2];
static int uses;
int find(int key)
{
    static int last = 0;
    int found;
    pthread_rwlock_rdlock(&lock); /* find_lock */
    uses++;
    last = uses; /* last */
    found = table[last & 1].key == key; /* found */
    pthread_rwlock_unlock(&lock); /* find_unlock */
    return found;
}
void replace(const struct entry *e)
{
    pthread_rwlock_wrlock(&lock); /* replace_lock */
    pthread_rwlock_unlock(&lock); /* replace_unlock */
    memcpy(&table[0], e, sizeof *e); /* copy */
}
"#;

/// Ends by `exit` in one thread while the other has left by `pthread_exit`.
pub(super) const EXITS: &str = r"#include <pthread.h>
#include <stdlib.h>
static int data;
static void *worker(void *arg)
{
    data = 2; // write
    if (arg)
        pthread_exit(arg);
    exit(5); // exit
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    if (data) // read
        pthread_create(&t, NULL, worker, &t);
    pthread_exit(NULL);
}
";

/// Initialising behind a plain flag. A thread that goes on after its write sets the flag, and the other turns away.
pub(super) const FLAG: &str = r"#include <pthread.h>
static int done, runs;
static void *worker(void *arg)
{
    if (!done) { // test
        runs = 1; // write
        done = 1; // set
    }
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
";

/// One thread sets a pointer that the other one relies on.
pub(super) const UNSET: &str = r"#include <assert.h>
#include <pthread.h>
static int value, *where;
static void *set(void *arg)
{
    where = &value; // write
    return arg;
}
static void *use(void *arg)
{
    int *seen = where; // read
    assert(seen); // check
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, set, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
";
