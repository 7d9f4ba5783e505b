//@ run: check
//@ revisions: bare locked
// A thread that crashes right behind its part in a race: the other thread's part is still to come.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static int *target;

static void *crash(void *unused)
{
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    count = 1; //~[bare] RACE@count write
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    *target = 1; //~ NULL_DEREFERENCE
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, crash, NULL);
    pthread_mutex_lock(&lock);
    int seen = count; //~[bare] RACE@count read
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return seen;
}
