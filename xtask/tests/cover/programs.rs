//! The programs and the library that are covered.

/// x is 5 only where a number is 7: what looks at it needs both the number and the other thread's write.
pub(crate) const INPUT_AND_INTERFERENCE: &str = r#"
#include <pthread.h>
#include "raddle.h"
static int x, in, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *arg)
{
    pthread_mutex_lock(&m);
    if (in == 7)
        x = 5;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    if (v == 5)
        seen = 1;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    raddle_symbolic(&in, sizeof in, "in");
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (x == 5 && in != 7)
        return 1;
    return 0;
}
"#;

/// Two threads push a node each; a third walks the list, and asserts that it does not meet both.
pub(crate) const LIST: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include "raddle.h"
struct node { int v; struct node *next; };
static struct node *head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int in;
static void *pusher(void *arg)
{
    struct node *n = malloc(sizeof *n);
    n->v = in;
    pthread_mutex_lock(&m);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    int sum = 0;
    for (struct node *n = head; n; n = n->next)
        if (n->v == 42)
            sum++;
    pthread_mutex_unlock(&m);
    assert(sum != 2);
    return arg;
}
int main(void)
{
    pthread_t t[3];
    raddle_symbolic(&in, sizeof in, "in");
    pthread_create(&t[0], 0, pusher, 0);
    pthread_create(&t[1], 0, pusher, 0);
    pthread_create(&t[2], 0, reader, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
"#;

/// Whether a waiter was told before it looked.
pub(crate) const SIGNAL: &str = r#"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, waited;
static void *tells(void *arg)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, tells, 0);
    pthread_mutex_lock(&m);
    while (!ready) {
        waited++;
        pthread_cond_wait(&c, &m);
    }
    if (waited > 1)
        waited = 0;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
"#;

/// The second post needs the number; whoever takes one token waits for the other.
pub(crate) const SEMAPHORE: &str = r#"
#include <pthread.h>
#include <semaphore.h>
#include "raddle.h"
static sem_t s;
static int in, x, seen;
static void *posts(void *arg)
{
    x = 1;
    sem_post(&s);
    if (in == 7) {
        x = 2;
        sem_post(&s);
    }
    return arg;
}
static void *waits(void *arg)
{
    sem_wait(&s);
    sem_wait(&s);
    if (x == 2)
        seen = 1;
    sem_wait(&s);
    if (x == 2)
        seen = 2; // never
    return arg;
}
int main(void)
{
    pthread_t a, b;
    raddle_symbolic(&in, sizeof in, "in");
    sem_init(&s, 0, 0);
    pthread_create(&a, 0, posts, 0);
    pthread_create(&b, 0, waits, 0);
    pthread_join(a, 0);
    pthread_exit(0);
}
"#;

/// Two wait for one signal.
pub(crate) const WOKEN: &str = r#"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int woken, waiting;
static void *waits(void *arg)
{
    pthread_mutex_lock(&m);
    waiting++;
    pthread_cond_wait(&c, &m);
    if (woken == 1)
        woken = 2; // both
    else
        woken = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, waits, 0);
    pthread_mutex_lock(&m);
    int both = waiting == 2;
    pthread_cond_signal(&c);
    SECOND
    pthread_mutex_unlock(&m);
    if (both)
        return 1;
    pthread_exit(0);
}
"#;

/// What the second thread writes is 2 or 3, by what it has read.
pub(crate) const DEPENDS: &str = r#"
#include <pthread.h>
static _Atomic int x;
static void *looks(void *arg)
{
    x = 2;
    int r = x;
    if (r == 3)
        x = 4;
    return arg;
}
static void *adds(void *arg)
{
    x = 1;
    int r = x;
    x = r + 1;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, looks, 0);
    pthread_create(&b, 0, adds, 0);
    pthread_exit(0);
}
"#;

/// Three threads, two of which meet, and one of these is the serial one; `main` is the third.
pub(crate) const BARRIER: &str = r#"
#include <pthread.h>
static pthread_barrier_t b;
static _Atomic int x, serials, passed;
static void meet(int mine)
{
    x = mine;
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
        serials++;
    passed++;
}
static void *first(void *arg)
{
    meet(1);
    if (x == 0)
        x = 9; // not behind its own write
    return arg;
}
static void *second(void *arg)
{
    meet(2);
    if (x == 1)
        x = 4; // the first wrote last
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_barrier_init(&b, 0, COUNT);
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    if (passed == 2)
        if (serials != 1)
            x = 5; // one of them
    MORE
    pthread_join(t, 0);
    pthread_join(u, 0);
    if (serials != 1)
        x = 7;
    return 0;
}
"#;

/// A thread waits for a while, and says whether that was long enough; what is called once leaves a number.
pub(crate) const LIMIT: &str = r#"
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int ready, made;
static void make(void) { made++; }
static void *waits(void *arg)
{
    struct timespec limit = {1, 0};
    int late = 0;
    pthread_once(&once, make);
    pthread_mutex_lock(&m);
    while (!ready && !late)
        late = pthread_cond_timedwait(&c, &m, &limit);
    if (late)
        ready = 2;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *tells(void *arg)
{
    pthread_once(&once, make);
    if (made != 1)
        ready = 9; // once
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, waits, 0);
    pthread_create(&u, 0, tells, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    if (made != 1)
        return 1;
    return 0;
}
"#;

/// A lock of KIND that its holder asks for once more.
pub(crate) const RELOCKED: &str = r#"
#include <pthread.h>
static pthread_mutex_t m;
static int x;
static void *other(void *arg)
{
    pthread_mutex_lock(&m);
    if (AGAIN == 0)
        pthread_mutex_unlock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    x = 3;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, KIND);
    pthread_mutex_init(&m, &kind);
    pthread_create(&t, 0, other, 0);
    if (pthread_mutex_trylock(&m) == 0) {
        if (x == 1)
            x = 2; // between
        pthread_mutex_unlock(&m);
    } else if (x == 77) {
        x = 5; // never
    }
    pthread_join(t, 0);
    return 0;
}
"#;

/// A thread looks whether another one has ended.
pub(crate) const TRYJOIN: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
static int x;
static void *other(void *arg)
{
    x = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    if (pthread_tryjoin_np(t, 0) == 0) {
        if (x == 1)
            x = 2;
        return 0;
    }
    pthread_join(t, 0);
    return 0;
}
"#;

/// A counter that is read twice, with the lock given back in between, and may be closed.
pub(crate) const LIBRARY: &str = r#"
#include <pthread.h>
#include <stdlib.h>
struct counter { pthread_mutex_t lock; int count, closed; };
struct counter *counter_new(void)
{
    struct counter *c = calloc(1, sizeof *c);
    pthread_mutex_init(&c->lock, 0);
    return c;
}
int counter_add(struct counter *c, int by)
{
    int refused = 1;
    pthread_mutex_lock(&c->lock);
    if (!c->closed && by > 0 && by < 100) {
        c->count += by;
        refused = 0;
    }
    pthread_mutex_unlock(&c->lock);
    return refused;
}
int counter_grows(struct counter *c)
{
    pthread_mutex_lock(&c->lock);
    int before = c->count;
    pthread_mutex_unlock(&c->lock); // gives it back
    pthread_mutex_lock(&c->lock); // and takes it again
    int after = c->count;
    pthread_mutex_unlock(&c->lock);
    if (after < before)
        return -1;
    if (before == 0)
        if (after == 42)
            return 1;
    return 0;
}
void counter_close(struct counter *c)
{
    pthread_mutex_lock(&c->lock);
    c->closed = 1;
    pthread_mutex_unlock(&c->lock);
}
"#;

/// What one thread has read under a lock another one takes from it under the lock.
pub(crate) const PASSED_ON: &str = r#"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, x;
static void *gives(void *arg) { pthread_mutex_lock(&m); n = 1; pthread_mutex_unlock(&m); return arg; }
static void *passes(void *arg) { pthread_mutex_lock(&m); x = n; pthread_mutex_unlock(&m); return arg; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, gives, 0);
    pthread_create(&b, 0, passes, 0);
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    if (v == 1)
        v = 2;
    return 0;
}
"#;

/// A structure is written as a whole.
pub(crate) const WHOLE: &str = r#"
#include <pthread.h>
struct c { long a, b; int n; };
static struct c g;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *writes(void *arg)
{
    struct c l = { 1, 2, 4 };
    pthread_mutex_lock(&m);
    g = l;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, writes, 0);
    pthread_mutex_lock(&m);
    int k = g.n;
    pthread_mutex_unlock(&m);
    if (k == 4)
        return 1;
    return 0;
}
"#;

/// What is tried to be taken from a semaphore, COUNT at first.
pub(crate) const TRIED: &str = r#"
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static sem_t s;
static int x;
static const struct timespec limit = {LIMIT};
static void *other(void *arg)
{
    x = 1;
    OTHER;
    return arg;
}
int main(void)
{
    pthread_t t;
    sem_init(&s, 0, COUNT);
    pthread_create(&t, 0, other, 0);
    if (TRY == 0) {
        if (x == 1)
            x = 2;
    }
    pthread_join(t, 0);
    return 0;
}
"#;

/// What a semaphore counts, to which another thread POSTS.
pub(crate) const COUNTED: &str = r#"
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static int seen;
static void *other(void *arg)
{
    POSTS
    sem_wait(&s);
    return arg;
}
int main(void)
{
    pthread_t t;
    int count;
    sem_init(&s, 0, 1);
    pthread_create(&t, 0, other, 0);
    sem_getvalue(&s, &count);
    if (count == 0)
        seen = 1;
    if (count == 1)
        seen = 2;
    if (count == 2)
        seen = 3;
    if (count == 3)
        seen = 4;
    pthread_join(t, 0);
    return 0;
}
"#;

/// Two writes, and what another thread sees of them.
pub(crate) const SECTION: &str = r#"
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static int x, y, seen;
static void __VERIFIER_atomic_both(void)
{
    y = x;
    y = y + 1;
}
static void *other(void *arg)
{
    BEGIN
    x = 1;
    x = 2;
    END
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    __VERIFIER_atomic_both();
    __VERIFIER_atomic_begin();
    int now = x;
    __VERIFIER_atomic_end();
    if (now == 1)
        seen = 1;
    if (now == 2 && y == 1)
        seen = 2;
    pthread_join(t, 0);
    return 0;
}
"#;

/// A semaphore is made anew while threads use it.
pub(crate) const ANEW: &str = r#"
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void *other(void *arg)
{
    sem_post(&s);
    return arg;
}
int main(void)
{
    pthread_t t;
    int count;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, other, 0);
    pthread_join(t, 0);
    sem_init(&s, 0, 5);
    sem_getvalue(&s, &count);
    if (count == 6)
        return 1;
    return 0;
}
"#;

/// Two writes in one section of a lock, of which others find only the second.
pub(crate) const USED: &str = r#"
#include <pthread.h>
static int x, end;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    x = 2;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    int seen = x;
    x = seen + 5;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (x > 5)
        end = 1;
    return 0;
}
"#;

/// An operation that looks at what its caller passes, at AT.
pub(crate) const PASSED: &str = r#"
#include <pthread.h>
static int total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int adds(const int *values)
{
    LOCK
    int more = values[AT];
    int before = total;
    total = before + more + 1;
    UNLOCK
    if (before > 0)
        return 1;
    return 0;
}
"#;
