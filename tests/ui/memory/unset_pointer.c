//@ run: check
//@ revisions: early late
// A pointer that one thread sets while the other one follows it already. The failure needs the first held before its only
// write, which is no part of the schedule.
#include <assert.h>
#include <pthread.h>

static int value, *where;

static void *set(void *arg)
{
    where = &value; //~[early] RACE@where write
    return arg;
}

static void *use(void *arg)
{
    int *seen = where; //~[early] RACE@where read
    assert(seen); //~[early] ASSERTION
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, set, NULL);
#ifdef late
    pthread_join(a, NULL);
#endif
    pthread_create(&b, NULL, use, NULL);
#ifdef early
    pthread_join(a, NULL);
#endif
    pthread_join(b, NULL);
    return 0;
}
//~[late] SAFE
