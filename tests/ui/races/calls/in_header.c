//@ run: races --op push --op size
//@ revisions: bare locked
//@ also: auxiliary/stack.h
// A race in an inline function stands in the header that defines it.
#include "auxiliary/stack.h"

void push(struct stack *s)
{
    stack_grow(s);
}

unsigned size(struct stack *s)
{
    return stack_size(s);
}
//~[locked] SAFE executions=5
