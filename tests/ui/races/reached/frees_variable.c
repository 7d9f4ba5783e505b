//@ run: races --heaps reached
// A call that frees what it is passed leaves nothing in the client's variable.
#include <pthread.h>
#include <stdlib.h>

struct device {
    pthread_mutex_t lock;
    int references;
};

struct device *device_new(void)
{
    struct device *d = calloc(1, sizeof *d);
    pthread_mutex_init(&d->lock, 0);
    return d;
}

void device_list_free(struct device **list)
{
    free(list);
}

void device_take(struct device *d)
{
    pthread_mutex_lock(&d->lock);
    d->references++;
    pthread_mutex_unlock(&d->lock);
}
//~ SAFE
