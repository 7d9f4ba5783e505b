//@ run: check
//@ revisions: recursive normal
//@ clang: -m32 -D_GNU_SOURCE
// On i386 glibc keeps a mutex's kind at another byte; `pthread_t` and what `pthread_join` stores have four bytes.
#include <assert.h>
#include <pthread.h>

#ifdef recursive
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static int count;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock); //~[normal] DEADLOCK
    count++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    struct {
        pthread_t thread;
        int guard;
    } a = {0, 1}, b = {0, 2};
    struct {
        void *value;
        int guard;
    } result = {0, 3};
    pthread_create(&a.thread, NULL, worker, &count);
    pthread_create(&b.thread, NULL, worker, NULL);
    pthread_join(a.thread, &result.value);
    pthread_join(b.thread, NULL);
    assert(a.guard == 1 && b.guard == 2 && result.guard == 3);
    assert(result.value == &count && count == 2);
    return 0;
}
//~[recursive] SAFE executions=2
