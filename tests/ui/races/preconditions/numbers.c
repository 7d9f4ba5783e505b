//@ run: races --heaps any
// Whether threads can come to their ends is asked for each set of numbers: where both come with the first mode, one of them waits for
// ever for the lock that the other keeps, so that no caller calls them so; with any other they do not.
#include <pthread.h>

struct gate {
    pthread_mutex_t lock;
    int mode;
    int first;
    int other;
};

void gate_pass(struct gate *g)
{
    if (g->mode == 1) {
        g->first++;
        pthread_mutex_lock(&g->lock);
    } else {
        g->other++; //~ RACE read/write
                    //~^ RACE write/write
    }
}
