//@ run: check
//@ revisions: none one two hundred unbounded
//@[none] flags: --preemptions 0
//@[one] flags: --preemptions 1
//@[two] flags: --preemptions 2
//@[hundred] flags: --preemptions 100
// Two threads, A and B, with two critical sections each: a trace is an order of the sections. A switch between them is a
// preemption, unless the thread that is left has ended; starting one or the other costs nothing.
//
//     AABB BBAA   0
//     ABBA BAAB   1
//     ABAB BABA   2
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sections;

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        sections++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[none] SAFE executions=2
//~[one] SAFE executions=4
//~[two] SAFE executions=6
//~[hundred] SAFE executions=6
//~[unbounded] SAFE executions=6
