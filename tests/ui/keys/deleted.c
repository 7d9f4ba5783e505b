//@ run: check
//@ revisions: early late
//@ tsan-silent: ThreadSanitizer does not watch keys
// A key that is deleted while a thread may use it.
#include <pthread.h>

static pthread_key_t key;

static void *worker(void *arg)
{
    pthread_setspecific(key, NULL); //~[early] RACE@key read
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, NULL);
    pthread_create(&t, NULL, worker, NULL);
#ifdef early
    pthread_key_delete(key); //~[early] RACE@key write
#endif
    pthread_join(t, NULL);
#ifdef late
    pthread_key_delete(key);
#endif
    return 0;
}
//~[late] SAFE executions=1
