//@ run: check
//@ revisions: common own
// Where a join stores the result may be raced for: the join is done once all the same.
#include <pthread.h>
#include <stddef.h>

static pthread_t first;
static void *shared;

static void *nothing(void *arg)
{
    return arg;
}

static void *joiner(void *arg)
{
    void *mine = NULL;
#ifdef common
    pthread_join(first, &shared); //~[common] RACE@result write
#else
    pthread_join(first, &mine);
#endif
    return arg;
}

int main(void)
{
    pthread_t second;
    int seen = 0;
    pthread_create(&first, NULL, nothing, NULL);
    pthread_create(&second, NULL, joiner, NULL);
    if (shared) //~[common] RACE@result read
        seen = 1;
    pthread_join(second, NULL);
    return seen;
}
//~[own] SAFE
