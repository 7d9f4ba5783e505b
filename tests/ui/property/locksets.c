//@ run: check
//@ flags: --property data-race
//@ revisions: any_number filled joined through_pointer by_function two_locks read_locks allocated sections waits private fields run early not_joined other_lock given_back too_soon half_read by_copy recursive handed_out own_lock re_made in_loop callback reused
//@[run] flags: --no-locksets --max-threads 3
// Where nothing but races is asked for, locks and the creation of threads may show without running the program that there are none; what they
// do not show is looked for.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int x, y, size, *array, *heap;
static struct pair { int a, b; } pair;
static pthread_mutex_t *which = &m;
struct locked { pthread_mutex_t m; int value; };

static void enter(pthread_mutex_t *lock) { pthread_mutex_lock(lock); }
static void leave(pthread_mutex_t *lock) { pthread_mutex_unlock(lock); }

static void *runs(void *arg)
{
    (void)arg;
#if defined any_number || defined run || defined in_loop
    for (int i = __VERIFIER_nondet_int(); i > 0; i--) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
#elif defined filled
    __VERIFIER_atomic_begin();
    if (y < size)
        x += array[y];
    __VERIFIER_atomic_end();
#elif defined joined || defined early || defined not_joined
    x = 1; //~[early,not_joined] RACE write
#elif defined through_pointer
    pthread_mutex_lock(which);
    x = 1;
    pthread_mutex_unlock(which);
#elif defined by_function
    enter(&m);
    x = 1;
    leave(&m);
#elif defined two_locks || defined other_lock
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    x = 1; //~[other_lock] RACE@other write
    pthread_mutex_unlock(&m);
#ifdef other_lock
    y = 1; //~[other_lock] RACE@last write
#endif
    pthread_mutex_unlock(&n);
#elif defined read_locks
    pthread_rwlock_rdlock(&rw);
    int seen = x;
    pthread_rwlock_unlock(&rw);
    (void)seen;
#elif defined half_read
    pthread_rwlock_rdlock(&rw);
    x = 1; //~[half_read] RACE write
    pthread_rwlock_unlock(&rw);
#elif defined allocated
    pthread_mutex_lock(&m);
    *heap = 1;
    pthread_mutex_unlock(&m);
#elif defined sections
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_end();
    __atomic_fetch_add(&y, 1, __ATOMIC_RELAXED);
#elif defined waits
    pthread_mutex_lock(&m);
    x = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
#elif defined private
    int own = 0, *p = &own;
    int *mine = malloc(sizeof *mine);
    *mine = 1;
    *p += *mine;
    free(mine);
#elif defined fields
    pair.b = 1;
#elif defined given_back
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x = 1; //~[given_back] RACE write
#elif defined too_soon
    pthread_mutex_lock(&m);
    leave(&m);
    x = 1; //~[too_soon] RACE write
#elif defined by_copy
    struct pair copy;
    memcpy(&copy, &pair, sizeof copy); //~[by_copy] RACE read
    x = copy.a;
#elif defined recursive
    if (x < 3) { //~[recursive] RACE@first read
        x = 7; //~[recursive] RACE@up write
        runs(arg);
    }
#elif defined handed_out
    *(int *)arg = 1; //~[handed_out] RACE write
#elif defined own_lock
    struct locked *each = arg;
    pthread_mutex_lock(&each->m);
    x = 1; //~[own_lock] RACE write
    pthread_mutex_unlock(&each->m);
#elif defined re_made
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
#elif defined callback
    void (*does)(pthread_mutex_t *) = __VERIFIER_nondet_int() ? enter : leave;
    does(&m);
    x = 1; //~[callback] RACE write
#elif defined reused
    x = 1;
#endif
    return NULL;
}

#ifdef reused
static void *later(void *arg)
{
    x = 2;
    return arg;
}
#endif

int main(void)
{
    pthread_t t, u;
    (void)enter, (void)leave, (void)t, (void)u, (void)n, (void)rw, (void)changed, (void)which, (void)x, (void)y, (void)size, (void)heap, (void)array, (void)pair;
    (void)sizeof(struct locked);
#if defined any_number
    for (;;)
        pthread_create(&t, NULL, runs, NULL);
#elif defined run
    for (int i = 0; i < 2; i++)
        pthread_create(&t, NULL, runs, NULL);
#elif defined filled
    size = __VERIFIER_nondet_int() & 0xff;
    array = malloc(sizeof *array * (size_t)size);
    for (int i = 0; i < size; i++)
        array[i] = i;
    pthread_create(&t, NULL, runs, NULL);
    pthread_create(&u, NULL, runs, NULL);
#elif defined joined || defined early
    pthread_create(&t, NULL, runs, NULL);
#ifdef early
    x = 2; //~[early] RACE write
#endif
    pthread_join(t, NULL);
    x = 3;
#elif defined not_joined
    // Only one of the two is.
    pthread_create(&t, NULL, runs, NULL);
    pthread_create(&u, NULL, runs, NULL); 
    pthread_join(u, NULL);
#elif defined handed_out
    int local = 0;
    pthread_create(&t, NULL, runs, &local);
    local = 2; //~[handed_out] RACE write
    pthread_join(t, NULL);
#elif defined own_lock
    static struct locked all[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};
    pthread_create(&t, NULL, runs, &all[0]);
    pthread_create(&u, NULL, runs, &all[1]);
#elif defined reused
    pthread_create(&t, NULL, runs, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, later, NULL);
    pthread_join(t, NULL);
    x = 3;
#else
#ifdef allocated
    heap = calloc(1, sizeof *heap);
#endif
#ifdef re_made
    pthread_mutex_init(&m, NULL);
#endif
    pthread_create(&t, NULL, runs, NULL);
#if defined through_pointer || defined by_function || defined re_made
    pthread_mutex_lock(&m);
    x = 2;
    pthread_mutex_unlock(&m);
#elif defined two_locks
    pthread_mutex_lock(&n);
    x = 2;
    pthread_mutex_unlock(&n);
#elif defined other_lock
    pthread_mutex_lock(&m);
    y = 2; //~[other_lock] RACE@last write
    pthread_mutex_unlock(&m);
    pthread_rwlock_wrlock(&rw);
    x = 2; //~[other_lock] RACE@other write
    pthread_rwlock_unlock(&rw);
#elif defined read_locks
    pthread_rwlock_wrlock(&rw);
    x = 2;
    pthread_rwlock_unlock(&rw);
#elif defined half_read
    pthread_rwlock_rdlock(&rw);
    x = 2; //~[half_read] RACE write
    pthread_rwlock_unlock(&rw);
#elif defined allocated
    pthread_mutex_lock(&m);
    *heap = 2;
    pthread_mutex_unlock(&m);
#elif defined sections
    __VERIFIER_atomic_begin();
    x = 2;
    y = 2;
    __VERIFIER_atomic_end();
#elif defined waits
    pthread_mutex_lock(&m);
    while (!x)
        pthread_cond_wait(&changed, &m);
    x = 2;
    pthread_mutex_unlock(&m);
#elif defined fields
    pair.a = 1;
#elif defined given_back || defined too_soon || defined callback
    pthread_mutex_lock(&m);
    x = 2; //~[given_back,too_soon,callback] RACE write
    pthread_mutex_unlock(&m);
#elif defined by_copy
    pair.a = 2; //~[by_copy] RACE write
#elif defined recursive
    x = 5; //~[recursive] RACE@first,up write
#elif defined in_loop
    for (int i = 0; i < 2; i++)
        pthread_create(&u, NULL, runs, NULL);
    pthread_mutex_lock(&m);
    x = 2;
    pthread_mutex_unlock(&m);
#endif
#endif
    return 0;
}
//~[any_number,filled,joined,through_pointer,by_function,two_locks,read_locks,allocated,sections,waits,private,fields,re_made,in_loop,reused] SAFE
//~[any_number,filled,joined,through_pointer,by_function,two_locks,read_locks,allocated,sections,waits,private,fields,re_made,in_loop] ASSUMED locksets
//~[run] INCONCLUSIVE ledger=loop_bound
