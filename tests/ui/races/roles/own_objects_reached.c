//@ run: races --heaps reached
//@ revisions: counter counted
// The same where clients make the objects: each of two callers ends its own.
#include <stdatomic.h>
#include <stdlib.h>

struct box {
    int value;
};

#ifdef counter
static int freed;
#else
static atomic_int freed;
#endif

struct box *box_new(void)
{
    struct box *b = malloc(sizeof *b);
    if (b)
        b->value = 0;
    return b;
}

void box_free(struct box *b)
{
    freed++; //~[counter] RACE@ww,rw write
             //~^[counter] RACE@ww write
             //~^^[counter] RACE@rw read
    free(b);
}

int box_get(struct box *b)
{
    return b->value;
}
//~[counted] SAFE
//~[counter] PAIR box_free box_free findings
//~[counted] PAIR box_free box_free exclusive
