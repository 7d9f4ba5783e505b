//@ run: check
//@ revisions: joins passes passes_one
//@[joins,passes] flags: --preemptions 0
//@[passes_one] flags: --preemptions 1
// A thread that joins another waits until that one has ended, and a thread ends when it has run: leaving the joining
// thread before that is no preemption, even if the other one does nothing at all.
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

static void *idle(void *arg)
{
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
    pthread_create(&a, NULL, idle, NULL);
    pthread_create(&b, NULL, writer, NULL);
    int before = get();
#ifdef joins
    pthread_join(a, NULL);
#endif
    assert(get() == before); //~[joins,passes_one] ASSERTION
    pthread_join(b, NULL);
    return 0;
}
//~[passes] SAFE executions=1
