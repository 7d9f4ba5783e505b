//@ run: check
//@ revisions: waits lost counts
// A counter of events: who reads it waits until there is one, takes all, and has seen what was done before them.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int events;
static int work;

static void *worker(void *arg)
{
    work = 1;
    assert(eventfd_write(events, 1) == 0);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    uint64_t value = 0;
#ifdef counts
    events = eventfd(3, EFD_SEMAPHORE | EFD_NONBLOCK);
    assert(eventfd_read(events, &value) == 0 && value == 1);
    assert(eventfd_write(events, 1) == 0);
    for (int i = 0; i < 3; i++)
        assert(read(events, &value, sizeof value) == sizeof value && value == 1);
    assert(read(events, &value, sizeof value) == -1 && errno == EAGAIN);
    return 0;
#endif
    events = eventfd(0, 0);
    pthread_create(&a, 0, worker, 0);
    assert(eventfd_read(events, &value) == 0 && value == 1);
    assert(work == 1);
    pthread_create(&b, 0, worker, 0);
    pthread_join(b, 0);
    assert(eventfd_write(events, 4) == 0);
    assert(eventfd_read(events, &value) == 0 && value == 5);
#ifdef lost
    eventfd_read(events, &value); //~[lost] DEADLOCK
#endif
    pthread_join(a, 0);
    close(events);
    return 0;
}
//~[waits] SAFE
//~[counts] SAFE executions=1
