//@ run: check
//@ revisions: shared exclusive
// A lock that both sides hold for reading excludes nothing. Executions of the twin: the two orders of the sections.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int data;

static void *writer(void *arg)
{
#ifdef exclusive
    pthread_rwlock_wrlock(&lock);
#else
    pthread_rwlock_rdlock(&lock);
#endif
    data = 1; //~[shared] RACE@data write
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    pthread_rwlock_rdlock(&lock);
    int once = data; //~[shared] RACE@data read
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    assert(once == 0 || once == 1);
    return 0;
}
//~[exclusive] SAFE executions=2
