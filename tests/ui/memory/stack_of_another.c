//@ run: check
//@ revisions: bare locked
// A variable of one thread that another gets to know. To ThreadSanitizer the thread's beginning writes to its stack, which
// is not what a test may show.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *published;

static void *owner(void *unused)
{
    int progress = 0;
    pthread_mutex_lock(&lock);
    published = &progress;
    pthread_mutex_unlock(&lock);
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    progress = 1; //~[bare] RACE@progress write
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
    pthread_mutex_lock(&lock);
    published = NULL;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *watcher(void *unused)
{
    int seen = 0;
    pthread_mutex_lock(&lock);
    if (published)
        seen = *published; //~[bare] RACE@progress read
    pthread_mutex_unlock(&lock);
    return seen ? &lock : unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, owner, NULL);
    pthread_create(&second, NULL, watcher, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}
//~[locked] SAFE
