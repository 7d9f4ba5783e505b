//@ run: check
//@ revisions: none one two four
//@[none] flags: --preemptions 0
//@[one] flags: --preemptions 1
//@[two] flags: --preemptions 2
//@[four] flags: --preemptions 4
// Leaving a thread that only goes round is no preemption; leaving the first thread between its two locks is one.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void *first(void *arg)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right); //~[one,two,four] DEADLOCK
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    done++;
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left); //~[one,two,four] DEADLOCK
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    done++;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    while (done < 2)
        ;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[none] SAFE
