//@ run: check
//@ revisions: lost right
// A destructor may set values again: rounds of destructors follow, four in all. Which of two keys comes first is open.
#include <assert.h>
#include <pthread.h>

static pthread_key_t first, second;
static int calls, order;

static void again(void *at)
{
    calls++;
    if (calls < 3)
        pthread_setspecific(first, at);
#ifdef lost
    assert(order == 0); //~[lost] ASSERTION
#endif
    order = 1;
}

static void other(void *at)
{
    (void)at;
    order = 2;
}

static void *worker(void *arg)
{
    pthread_setspecific(first, &calls);
    pthread_setspecific(second, &order);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&first, again);
    pthread_key_create(&second, other);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    assert(calls == 3);
    assert(pthread_getspecific(first) == NULL);
    return 0;
}
//~[right] SAFE executions=2
