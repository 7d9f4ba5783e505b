//@ run: races
//@ revisions: hidden given
// A static variable is reached by its name alone, unless its address goes somewhere.
#include <pthread.h>
#include <stddef.h>

static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct counter {
    pthread_mutex_t lock;
    int value;
} counter = { PTHREAD_MUTEX_INITIALIZER, 0 };

void add(void)
{
    pthread_mutex_lock(&lock);
    total++; //~[given] RACE@total write
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&counter.lock);
    counter.value++;
    pthread_mutex_unlock(&counter.lock);
}

int look(const int *at)
{
    return at ? *at : 0; //~[given] RACE@total read
}

int value(const struct counter *at)
{
    return at ? at->value : 0;
}

#ifdef given
int *find(int k)
{
    return k == 1 ? &total : NULL;
}
#endif
//~[hidden] SAFE
