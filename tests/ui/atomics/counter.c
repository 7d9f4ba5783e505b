//@ run: check
//@ revisions: plain atomic
// Lost update: `hits++` races; the atomic twin must stay silent. Two increments of one object have two orders.
#include <pthread.h>
#ifdef atomic
static _Atomic int hits;
#else
static int hits;
#endif

static void *worker(void *arg)
{
    hits++; //~[plain] RACE read/write //~[plain] RACE write/write
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return hits - 2;
}
//~[atomic] SAFE executions=2
