//@ run: check
//@ revisions: twice nested
// A reader gives its lock back as often as it took it, not more.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
#ifdef nested
    pthread_rwlock_rdlock(&lock);
#endif
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock); //~[twice] LOCK_MISUSE
    return 0;
}
//~[nested] SAFE executions=1
