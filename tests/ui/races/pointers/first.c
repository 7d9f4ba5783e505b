//@ run: races --client-calls 0
//@ revisions: cast helper kept
// Where a structure begins, its first member begins: a cast hands that out.
#include <pthread.h>

struct total {
    int sum;
    pthread_mutex_t lock;
};

void add(struct total *t)
{
    pthread_mutex_lock(&t->lock);
    t->sum++; //~[cast,helper] RACE
    pthread_mutex_unlock(&t->lock);
}

void bump(int *counter)
{
    (*counter)++; //~ RACE read/write
                  //~^ RACE write/write
                  //~^^[cast,helper] RACE
}

#if defined(cast)
int *counter_of(struct total *t)
{
    return (int *)t;
}
#elif defined(helper)
static int *start(int *p)
{
    return p;
}

int *counter_of(struct total *t)
{
    return start((int *)t);
}
#else
struct total *whole(struct total *t)
{
    return t;
}
#endif
