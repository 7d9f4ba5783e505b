//@ run: check
//@ revisions: reset kept
// Another thread makes the divisor zero between the test and the division; each access is locked, the pair is not.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int divisor = 2;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int d = divisor;
    pthread_mutex_unlock(&lock);
    return d;
}

static void *clear(void *arg)
{
    pthread_mutex_lock(&lock);
    divisor = 0;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int r = 0;
    pthread_create(&t, NULL, clear, NULL);
#ifdef kept
    int d = get();
    if (d)
        r = 10 / d;
#else
    if (get())
        r = 10 / get(); //~[reset] DIVISION_BY_ZERO
#endif
    pthread_join(t, NULL);
    return r;
}
//~[kept] SAFE executions=2
