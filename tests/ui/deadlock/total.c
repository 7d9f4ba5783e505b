//@ run: check
//@ revisions: inverted ordered
// Two locks taken in opposite orders. Executions of the twin: either thread first; both locks follow from the first.
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

#ifdef ordered
#define FIRST left
#define SECOND right
#else
#define FIRST right
#define SECOND left
#endif

static void *worker(void *arg)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right); //~[inverted] DEADLOCK
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&FIRST);
    pthread_mutex_lock(&SECOND); //~[inverted] DEADLOCK
    pthread_mutex_unlock(&SECOND);
    pthread_mutex_unlock(&FIRST);
    pthread_join(t, NULL);
    return 0;
}
//~[ordered] SAFE executions=2
