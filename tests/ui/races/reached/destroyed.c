//@ run: races --heaps reached
// To use a lock that has been destroyed is what its caller has to avoid, and one call after the other shows it.
#include <pthread.h>

struct box {
    pthread_mutex_t lock;
    int value;
};

static struct box box = { PTHREAD_MUTEX_INITIALIZER, 0 };

void use(void)
{
    pthread_mutex_lock(&box.lock); //~ SEQUENTIAL lock_misuse
    box.value++;
    pthread_mutex_unlock(&box.lock);
}

void destroy(void)
{
    pthread_mutex_destroy(&box.lock); //~ SEQUENTIAL lock_misuse
}
