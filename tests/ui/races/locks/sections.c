//@ run: races
//@ revisions: apart sometimes readers between hidden frees takes_two
//@[apart] flags: --op first --op second
//@[sometimes] flags: --op either
//@[readers] flags: --op look --op count
//@[between] flags: --op first --op second
//@[hidden] flags: --op put --op get
//@[frees] flags: --op drop --op get --valid apart_from_itself
//@[takes_two] flags: --op first --op second
// Critical sections of one lock that do not access the same bytes come to the same in either order, and are explored in
// one. What they hide from each other is found all the same.
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct pair {
    pthread_mutex_t lock, other;
    pthread_rwlock_t many;
    int a, b, x;
    struct pair *next;
};

#ifdef apart
void first(struct pair *p)
{
    pthread_mutex_lock(&p->lock);
    p->a++;
    pthread_mutex_unlock(&p->lock);
}

void second(struct pair *p)
{
    pthread_mutex_lock(&p->lock);
    p->b++;
    pthread_mutex_unlock(&p->lock);
}
#endif
// Each with itself in two orders, with the other in one.
//~[apart] SAFE executions=5 shapes=1

#ifdef sometimes
// What it accesses depends on its argument: two orders where both choose the same.
void either(struct pair *p, int which)
{
    pthread_mutex_lock(&p->lock);
    if (which)
        p->a++;
    else
        p->b++;
    pthread_mutex_unlock(&p->lock);
}
#endif
//~[sometimes] SAFE executions=6 shapes=1

#ifdef readers
int look(struct pair *p)
{
    pthread_rwlock_rdlock(&p->many);
    int seen = p->a;
    pthread_rwlock_unlock(&p->many);
    return seen;
}

void count(struct pair *p)
{
    pthread_rwlock_wrlock(&p->many);
    p->b++;
    pthread_rwlock_unlock(&p->many);
}
#endif
//~[readers] SAFE executions=4 shapes=1

#ifdef between
// Another lock is taken in between, so that the outer sections are no single steps.
void first(struct pair *p)
{
    pthread_mutex_lock(&p->lock);
    pthread_mutex_lock(&p->other);
    p->a++;
    pthread_mutex_unlock(&p->other);
    pthread_mutex_unlock(&p->lock);
}

void second(struct pair *p)
{
    pthread_mutex_lock(&p->lock);
    p->b++;
    pthread_mutex_unlock(&p->lock);
}
#endif
//~[between] SAFE executions=6 shapes=1

#ifdef hidden
// Whoever comes first takes the lock after it wrote, or before it reads: in one order the lock orders the two.
void put(struct pair *p)
{
    p->x = 1; //~[hidden] RACE@x write
    //~^[hidden] RACE write/write
    pthread_mutex_lock(&p->lock);
    p->a++;
    pthread_mutex_unlock(&p->lock);
}

int get(struct pair *p)
{
    pthread_mutex_lock(&p->lock);
    p->b++;
    pthread_mutex_unlock(&p->lock);
    return p->x; //~[hidden] RACE@x read
}
#endif

#ifdef frees
bool apart_from_itself(const struct pair *p)
{
    return p->next != p;
}

// The sections are ordered one way or the other, for one writes what the other reads; what comes after is not.
void drop(struct pair *p)
{
    pthread_mutex_lock(&p->lock);
    struct pair *n = p->next;
    p->next = NULL;
    pthread_mutex_unlock(&p->lock);
    free(n); //~[frees] RACE@n free
}

int get(struct pair *p)
{
    pthread_mutex_lock(&p->lock);
    struct pair *n = p->next;
    pthread_mutex_unlock(&p->lock);
    return n ? n->x : 0; //~[frees] RACE@n read
}
#endif

#ifdef takes_two
// The second waits for the first's lock within its own: no order of the two locks is missed.
void first(struct pair *p)
{
    pthread_mutex_lock(&p->lock);
    p->a++;
    pthread_mutex_unlock(&p->lock);
    p->x++; //~[takes_two] RACE@x read
    //~^[takes_two] RACE read/write
    //~^^[takes_two] RACE write/write
    //~^^^[takes_two] RACE@x2 write
}

void second(struct pair *p)
{
    pthread_mutex_lock(&p->other);
    p->x = p->b; //~[takes_two] RACE@x write
    //~^[takes_two] RACE@x2 write
    pthread_mutex_lock(&p->lock);
    p->b++;
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_unlock(&p->other);
}
#endif
