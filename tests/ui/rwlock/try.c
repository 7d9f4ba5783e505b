//@ run: check
//@ revisions: ignored checked
// trywrlock fails while a reader is inside, tryrdlock while a writer is.
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int data;

static void *writer(void *arg)
{
    int failed = pthread_rwlock_trywrlock(&lock);
#ifdef checked
    if (failed == EBUSY)
        return arg;
#endif
    data = 1; //~[ignored] RACE@data write
    if (!failed)
        pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int got = 0;
    pthread_create(&t, NULL, writer, NULL);
    if (pthread_rwlock_tryrdlock(&lock) == 0) {
        got = data; //~[ignored] RACE@data read
        pthread_rwlock_unlock(&lock);
    }
    pthread_join(t, NULL);
    return got;
}
//~[checked] SAFE
