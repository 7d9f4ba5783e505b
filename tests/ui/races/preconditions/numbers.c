//@ run: races --heaps any --globals initial
// Whether threads can come to their ends is asked for each set of numbers that a race needs, also of numbers that no call looks at by
// itself: with the first mode the second caller waits for ever for a lock of its own, so that nobody calls it so.
#include <pthread.h>

struct gate {
    pthread_mutex_t lock;
    int mode;
    int first;
    int other;
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int passed;

void gate_pass(struct gate *g)
{
    pthread_mutex_lock(&guard);
    int is_second = passed;
    passed = 1;
    pthread_mutex_unlock(&guard);
    if (!is_second) {
        g->first = 1;
        g->other = 1; //~ RACE@ww,rw write
    } else if (g->mode == 1) {
        g->first++;
        pthread_mutex_lock(&g->lock);
        pthread_mutex_lock(&g->lock);
    } else {
        g->other++; //~ RACE@ww write
                    //~^ RACE@rw read
    }
}
