//@ run: check
//@ revisions: inverted gated ordered
// Two locks in two orders: the second of one thread is taken first. Not where a third lock keeps the two apart already, which is no deadlock; and where
// that would be taken the other way round elsewhere in the same function, another thread's order is changed.
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *one(void *arg)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right); //~[inverted gated] DEADLOCK
    sum++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
#ifdef gated
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right); //~[gated] DEADLOCK
    sum++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
#endif
    return arg;
}

static void *other(void *arg)
{
#ifdef ordered
    return one(arg);
#else
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left); //~[inverted gated] DEADLOCK
    sum--;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return arg;
#endif
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[ordered] SAFE
