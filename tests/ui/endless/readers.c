//@ run: check
//@ revisions: locked early
// Two readers and a writer for ever: while one reader gives its lock back the other may have it, so the writer may wait for ever, but
// need not. In the twin the writer gives the lock back too early the second time.
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *reader(void *arg)
{
    int seen = 0;
    for (;;) {
        pthread_rwlock_rdlock(&lock);
        seen = value; //~[early] RACE@value read
        pthread_rwlock_unlock(&lock);
    }
    return seen ? arg : NULL;
}

static void *writer(void *arg)
{
    for (;;) {
        pthread_rwlock_wrlock(&lock);
#ifdef early
        if (value == 1) {
            pthread_rwlock_unlock(&lock);
            value = 0; //~[early] RACE@value write
            continue;
        }
#endif
        value = 1 - value;
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
//~[locked] SAFE
