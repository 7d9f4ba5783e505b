//@ run: check
//@ revisions: wrong right
// The failure needs one input and one order: another thread halves the limit between the check and the use.
// Executions of the twin: two orders of the sections of `limit`, each with n below, at or above what it sees (two ways).
#include <assert.h>
#include <pthread.h>
#include <raddle.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int limit = 10;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int l = limit;
    pthread_mutex_unlock(&lock);
    return l;
}

static void *halve(void *arg)
{
    pthread_mutex_lock(&lock);
    limit = 5;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    int n;
    raddle_symbolic(&n, sizeof n, "n");
    pthread_t t;
    pthread_create(&t, NULL, halve, NULL);
    int l = get();
    if (n < l) {
#ifdef wrong
        l = get();
#endif
        assert(n < l); //~[wrong] ASSERTION inputs=n
    }
    pthread_join(t, NULL);
    return 0;
}
//~[right] SAFE executions=4
