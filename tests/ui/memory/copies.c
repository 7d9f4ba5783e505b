//@ run: check
// A copy reads one place and writes another: both orders of each with other threads are explored.
#include <assert.h>
#include <pthread.h>

struct pair {
    int a, b;
};

static struct pair from = {1, 2}, to;

static void *copier(void *arg)
{
    to = from; //~ RACE@to write
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, copier, NULL);
    int seen = to.b; //~ RACE@to read
    assert(seen != 2); //~ ASSERTION
    assert(seen != 0); //~ ASSERTION
    pthread_join(t, NULL);
    return 0;
}
