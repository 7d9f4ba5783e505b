//@ run: check
//@ revisions: right wrong
// Functions that are always inlined are called like others: what they are given, and what they declare, is theirs.
#include <assert.h>
#include <pthread.h>

#define INLINE static inline __attribute__((always_inline))

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;

INLINE void lock(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
}

INLINE void unlock(pthread_mutex_t *mutex)
{
    pthread_mutex_unlock(mutex);
}

INLINE int twice(int number)
{
    int sum = number;
    sum += number;
    return sum;
}

INLINE void set(int *place)
{
    *place = 0;
}

static void *worker(void *argument)
{
    for (int i = 0; i < 2; i++) {
        lock(&m);
        n += twice(i);
        unlock(&m);
    }
    return argument;
}

int main(void)
{
    int left;
    do {
        int here;
        set(&here);
        left = here;
    } while (left);
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    worker(NULL);
    pthread_join(thread, NULL);
#ifdef right
    assert(n == 4);
#else
    assert(n != 4); //~[wrong] ASSERTION
#endif
    return 0;
}
//~[right] SAFE
