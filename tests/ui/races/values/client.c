//@ run: races --heaps reached
//@ revisions: bare locked
// Clients pass structures by value: they fill them with numbers, and with what they hold.
#include <pthread.h>
#include <stdlib.h>

struct box {
    pthread_mutex_t lock;
    int held;
};

struct order {
    struct box *box;
    short count;
};

struct box *make(void)
{
    struct box *box = calloc(1, sizeof *box);
    if (box)
        pthread_mutex_init(&box->lock, NULL);
    return box;
}

void fill(struct order order)
{
    if (order.count != 7)
        return;
#ifdef locked
    pthread_mutex_lock(&order.box->lock);
#endif
    order.box->held = order.count; //~[bare] RACE write/write
#ifdef locked
    pthread_mutex_unlock(&order.box->lock);
#endif
}
//~[locked] SAFE
