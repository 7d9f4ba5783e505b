//@ run: check
//@ revisions: always right
// Reading the value orders nothing, and what it was need not last. Two posts commute: of the three steps at the semaphore
// the reading alone has three places among the posts, which come to three values.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *poster(void *arg)
{
    sem_post(&s);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    int value = -1;
    sem_init(&s, 0, 0);
    pthread_create(&a, NULL, poster, NULL);
    pthread_create(&b, NULL, poster, NULL);
    sem_getvalue(&s, &value);
#ifdef always
    assert(value == 2); //~[always] ASSERTION
#endif
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_getvalue(&s, &value);
    assert(value == 2);
    return 0;
}
//~[right] SAFE executions=4
