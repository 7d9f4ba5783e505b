//@ run: check
//@ revisions: branch address heap copied
// Branching on a value that was never written, or using it in an address. Copying it is silent.
#include <stdlib.h>
#include <string.h>

struct pair {
    int set, unset;
};

static int table[4];

int main(void)
{
    struct pair a, b;
    int r = 0;
    a.set = 1;
    b = a;
#if defined branch
    if (b.unset) //~[branch] UNINITIALIZED_READ
        r = 1;
#elif defined address
    r = table[b.unset & 3]; //~[address] UNINITIALIZED_READ
#elif defined heap
    int *p = malloc(sizeof *p);
    if (*p == 4) //~[heap] UNINITIALIZED_READ
        r = 1;
#else
    memcpy(&a, &b, sizeof a);
    int sum = b.unset + 1;
    (void)sum;
    if (b.set == 2)
        r = 1;
#endif
    return r + table[0];
}
//~[copied] SAFE executions=1
