//@ run: races
//@ revisions: passed any_member own
//@[any_member] flags: --any-member
//@[own] flags: --private *.out
// Where a caller wants a result is no field of the structure, for nobody gives its address away; it may be another caller's place.
#include <pthread.h>

struct box {
    pthread_mutex_t lock;
    int value;
};

void get(struct box *b, int *out)
{
    pthread_mutex_lock(&b->lock);
    int value = b->value; //~[any_member] RACE@read read
    pthread_mutex_unlock(&b->lock);
    *out = value; //~[passed,any_member] RACE write/write
                  //~^[any_member] RACE@read write
                  //~^^[any_member] RACE@set write
}

void set(struct box *b, int value)
{
    pthread_mutex_lock(&b->lock);
    b->value = value; //~[any_member] RACE@set write
    pthread_mutex_unlock(&b->lock);
}
//~[own] SAFE
