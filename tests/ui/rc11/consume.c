//@ run: check
// Compilers take this order for acquire; the report says so.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static int *_Atomic published;

static void *writer(void *argument)
{
    data = 42;
    atomic_store_explicit(&published, &data, memory_order_release);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int *seen = atomic_load_explicit(&published, memory_order_consume); //~ ASSUMED consume
    int value = seen ? *seen : 0;
    pthread_join(thread, NULL);
    return value;
}
//~ SAFE
