//@ run: check
//@ revisions: last first
//@[first] flags: --max-time 3
// One thread makes a block for each request, another frees it: addresses come again once that is known to whoever made the block. In
// the twin the producer looks at it after it was handed over.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static int *slot;

static void *producer(void *arg)
{
    int sent = 0;
    for (;;) {
        int *block = malloc(sizeof *block);
        *block = 1;
        pthread_mutex_lock(&lock);
        while (slot)
            pthread_cond_wait(&empty, &lock);
        slot = block;
        pthread_cond_signal(&full);
        pthread_mutex_unlock(&lock);
#ifdef first
        sent = *block; //~[first] RACE@block read
#endif
    }
    return sent ? arg : NULL;
}

static void *consumer(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!slot)
            pthread_cond_wait(&full, &lock);
        int *block = slot;
        slot = NULL;
        pthread_cond_signal(&empty);
        pthread_mutex_unlock(&lock);
        free(block); //~[first] RACE@block free
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[last] SAFE
