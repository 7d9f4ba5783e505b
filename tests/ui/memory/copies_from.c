//@ run: check
// What a copy reads may be written before or after: both ends are reached.
#include <assert.h>
#include <pthread.h>

struct pair {
    int a, b;
};

static struct pair from = {1, 2}, to;

static void *copier(void *arg)
{
    to = from; //~ RACE@from read
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, copier, NULL);
    from.b = 5; //~ RACE@from write
    pthread_join(t, NULL);
    assert(to.b != 5); //~ ASSERTION
    assert(to.b != 2); //~ ASSERTION
    return 0;
}
