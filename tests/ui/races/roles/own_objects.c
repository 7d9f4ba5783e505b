//@ run: races --heaps any
//@ revisions: counter counted shared atomic passed number
// What a caller has to itself is one object: two callers who each end their own still meet in a variable, in what hangs on both, and in what
// they are passed beside it.
#include <stdatomic.h>
#include <stdlib.h>

struct pool {
    int used;
};

struct box {
    struct pool *pool;
    int value;
};

#ifdef counter
static int freed;
#endif
#ifdef counted
static atomic_int freed;
#endif

struct box *box_new(struct pool *p)
{
    struct box *b = malloc(sizeof *b);
    if (b) {
        b->pool = p;
        b->value = 0;
    }
    return b;
}

#ifdef passed
void box_free(struct box *b, struct pool *p)
#elif defined(number)
void box_free(struct box *b, int *used)
#else
void box_free(struct box *b)
#endif
{
#ifdef passed
    p->used--; //~[passed] RACE read/write
               //~^[passed] RACE write/write
#endif
#ifdef number
    --*used; //~[number] RACE read/write
             //~^[number] RACE write/write
#endif
#if defined(counter) || defined(counted)
    freed++; //~[counter] RACE@ww,rw write
             //~^[counter] RACE@ww write
             //~^^[counter] RACE@rw read
#endif
#ifdef shared
    b->pool->used--; //~[shared] RACE@pww,prw write
                     //~^[shared] RACE@pww write
                     //~^^[shared] RACE@prw read
#endif
#ifdef atomic
    atomic_fetch_sub((atomic_int *)&b->pool->used, 1);
#endif
    free(b);
}

int box_get(struct box *b)
{
    return b->value;
}
//~[counted,atomic] SAFE
//~[counter,shared,passed,number] PAIR box_free box_free findings
//~[counted,atomic] PAIR box_free box_free exclusive
//~ PAIR box_free box_get exclusive
