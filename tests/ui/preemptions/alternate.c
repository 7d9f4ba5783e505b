//@ run: check
//@ revisions: one two never
//@[one] flags: --preemptions 1
//@[two,never] flags: --preemptions 2
// That two threads with two critical sections each alternate needs two preemptions: see sections.c.
#include <assert.h>
#include <pthread.h>

#ifdef never
#define WRONG 1112
#else
#define WRONG 1212
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        order = order * 10 + (int)(long)arg;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)1L);
    pthread_create(&b, NULL, worker, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(order != WRONG); //~[two] ASSERTION
    return 0;
}
//~[one] SAFE executions=4
//~[two] FINDINGS executions=6
//~[never] SAFE executions=6
