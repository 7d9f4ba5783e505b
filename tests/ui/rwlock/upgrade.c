//@ run: check
//@ revisions: upgrade downgrade
// Two readers who both want to write wait for each other; giving the read lock up first does not.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int data;

static void *worker(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    int seen = data;
#ifdef downgrade
    pthread_rwlock_unlock(&lock);
#endif
    pthread_rwlock_wrlock(&lock); //~[upgrade] DEADLOCK
    data = seen + 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[downgrade] SAFE
