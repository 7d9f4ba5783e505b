//@ run: check
//@ revisions: one two four
//@[one] flags: --preemptions 1
//@[two] flags: --preemptions 2
//@[four] flags: --preemptions 4
// A thread that spins could go on for ever: leaving it for the first thread is a preemption, and so is leaving that one
// between its two locks. With more to spare, main could also go round once more when a thread has begun, which a replay,
// where threads begin at once, would take for going in circles: a shortest run is kept.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void *first(void *arg)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right); //~[two,four] DEADLOCK
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    done++;
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left); //~[two,four] DEADLOCK
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
//~[one] SAFE
