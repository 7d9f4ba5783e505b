//@ run: check
//@ revisions: racy0 racy1 racy guarded0 guarded1 guarded
//@[racy0,guarded0] flags: --preemptions 0
//@[racy1,guarded1] flags: --preemptions 1
// Two threads that each create another: which of these comes first is a matter of the schedule, which they are is not.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *child(void *arg)
{
#if defined racy0 || defined racy1 || defined racy
    count++; //~[racy0,racy1,racy] RACE read/write
             //~^[racy0,racy1,racy] RACE write/write
#else
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

static void *parent(void *arg)
{
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    pthread_join(t, NULL);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, parent, NULL);
    pthread_create(&b, NULL, parent, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[guarded0,guarded1,guarded] SAFE
