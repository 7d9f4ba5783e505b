//@ run: check
//@ revisions: one_side both
// A lock excludes only who takes it. Executions of the twin: the orders of the two critical sections.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int balance;

static void *deposit(void *arg)
{
    pthread_mutex_lock(&lock);
    balance += 10; //~[one_side] RACE@rw read //~[one_side] RACE@wr,ww write
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *withdraw(void *arg)
{
#ifdef both
    pthread_mutex_lock(&lock);
#endif
    balance -= 4; //~[one_side] RACE@rw,ww write //~[one_side] RACE@wr read
#ifdef both
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&a, NULL, deposit, NULL);
    pthread_create(&b, NULL, withdraw, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef both
    assert(balance == 6);
#endif
    pthread_mutex_destroy(&lock);
    return 0;
}
//~[both] SAFE executions=2
