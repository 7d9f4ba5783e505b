//@ run: races --op bump_first --op bump_second --client-calls 0 --heaps any
//@ revisions: any apart together
//@[apart] flags: --valid apart_ok
//@[together] flags: --valid together_ok
// A predicate without a parameter is about the library's variables.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct cell {
    int value;
    struct cell *next;
};

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
struct cell *first, *second;

bool apart_ok(void)
{
    return first && second && first != second;
}

bool together_ok(void)
{
    return first && first == second;
}

void bump_first(void)
{
    pthread_mutex_lock(&first_lock);
    first->value = 1; //~[any,together] RACE@cell write
    pthread_mutex_unlock(&first_lock);
}

void bump_second(void)
{
    pthread_mutex_lock(&second_lock);
    second->value = 2; //~[any,together] RACE@cell write
    pthread_mutex_unlock(&second_lock);
}
//~[any] FINDINGS shape=assumed
//~[together] FINDINGS shape=valid
//~[apart] SAFE
