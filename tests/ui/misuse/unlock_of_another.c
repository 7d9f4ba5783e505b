//@ run: check
//@ revisions: worker owner
// Only the thread that locked a mutex may unlock it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *helper(void *arg)
{
#ifdef worker
    pthread_mutex_unlock(&lock); //~[worker] LOCK_MISUSE
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, helper, NULL);
    pthread_join(t, NULL);
#ifdef owner
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}
//~[owner] SAFE executions=1
