//@ run: check
//@ revisions: two one
// A bounded queue for ever. With one condition for both and a signal that may wake the wrong one, all may come to wait.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
#ifdef one
#define room some
#else
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;
#endif
static int items[1], count;

static void *producer(void *arg)
{
    for (int item = 0;; item = !item) {
        pthread_mutex_lock(&lock);
        while (count == 1)
            pthread_cond_wait(&room, &lock); //~[one] DEADLOCK
        items[count++] = item;
        pthread_cond_signal(&some);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (count == 0)
            pthread_cond_wait(&some, &lock);
        count--;
        pthread_cond_signal(&room);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, producer, NULL);
    pthread_create(&threads[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
//~[two] SAFE
