//@ run: check
//@ revisions: twice once
// Unlocking a mutex that is not locked.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#ifdef twice
    pthread_mutex_unlock(&lock); //~[twice] LOCK_MISUSE
#endif
    return 0;
}
//~[once] SAFE executions=1
