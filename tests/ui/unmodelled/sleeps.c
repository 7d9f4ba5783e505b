//@ run: check
//@ revisions: by_poll by_select by_descriptor
// Waiting for no descriptor is sleeping, which no schedule depends on. What comes of waiting for one is not known.
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/select.h>

static atomic_int ready;

static void *work(void *arg)
{
    ready = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    while (!ready) {
#if defined by_poll
        poll(NULL, 0, 10);
#elif defined by_select
        struct timeval limit = {0, 1000};
        select(0, NULL, NULL, NULL, &limit);
#else
        struct pollfd descriptor = {.fd = 0, .events = POLLIN};
        poll(&descriptor, 1, 10);
#endif
    }
    pthread_join(t, NULL);
    return 0;
}
//~[by_poll,by_select] SAFE
//~[by_descriptor] INCONCLUSIVE ledger=external_call
