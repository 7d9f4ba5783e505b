//@ run: races --op get
//@ also: auxiliary/isomorphic.c
//@ revisions: locked bare
// Where sources are linked, LLVM takes structures that are laid out alike for one, and keeps one name. What a pointer leads to
// is what its declaration says all the same: two elements of an array, whose members have the names that they were given.
#include "auxiliary/isomorphic.h"

long get(struct map *m, long key)
{
    return find(m, key);
}

//~[locked] SAFE executions=21
