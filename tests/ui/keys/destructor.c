//@ run: check
//@ revisions: twice right
// A destructor frees what its thread keeps: the thread must not free it as well, or set it to null first.
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int freed;

static void destroy(void *at)
{
    free(at); //~[twice] DOUBLE_FREE
    pthread_mutex_lock(&lock);
    freed++;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    pthread_setspecific(key, malloc(8));
#ifdef twice
    if (!arg)
        free(pthread_getspecific(key));
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    if (pthread_key_create(&key, destroy))
        return 1;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, &key);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return freed == 2 ? 0 : 1;
}
//~[right] SAFE executions=2
