//@ run: check
//@ revisions: locked late unfolded again
//@[unfolded,again] flags: --strategy unfolding
// Each request is forgotten once it is served. In the twin the second is served without the lock.
#include <pthread.h>
#include <raddle.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int large;
#if defined late || defined again
static int served;
#endif

static void *server(void *arg)
{
    for (;;) {
        int request;
        raddle_symbolic(&request, sizeof request, "request");
#if defined late || defined again
        if (served == 1)
            large = 2; //~[late,again] RACE@large write
        served += served < 2;
#endif
        pthread_mutex_lock(&lock);
        large = request > 10;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *reader(void *arg)
{
    int seen = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        seen = large; //~[late,again] RACE@large read
        pthread_mutex_unlock(&lock);
    }
    return seen ? arg : NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, server, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[locked,unfolded] SAFE
