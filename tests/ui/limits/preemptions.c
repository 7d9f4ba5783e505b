//@ run: check
//@ revisions: none one unbounded
//@[none] flags: --preemptions 0
//@[one] flags: --preemptions 1
// The assertion fails only if the other thread comes between the two sections, which takes one preemption: within a
// bound of none there is no such execution.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int value = x;
    pthread_mutex_unlock(&lock);
    return value;
}

static void *worker(void *arg)
{
    int before = get();
    assert(get() == before); //~[one,unbounded] ASSERTION
    return arg;
}

static void *writer(void *arg)
{
    pthread_mutex_lock(&lock);
    x = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[none] SAFE
