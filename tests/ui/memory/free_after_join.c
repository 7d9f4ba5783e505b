//@ run: check
//@ revisions: early late
// A block is freed beside the thread that writes it. Before, another thread is joined; what that one writes after its last
// lock is shared with nobody, and it gets to its end.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int runs;

static void *count(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    runs = 1;
    return arg;
}

static void *fill(void *block)
{
    *(int *)block = 1; //~[early] RACE@block write
    return NULL;
}

int main(void)
{
    pthread_t counter, filler;
    pthread_create(&counter, NULL, count, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(counter, NULL);
    int *block = malloc(sizeof *block);
    if (!block)
        return 1;
    pthread_create(&filler, NULL, fill, block);
#ifdef early
    free(block); //~[early] RACE@block free
#endif
    pthread_join(filler, NULL);
#ifdef late
    free(block);
#endif
    return runs - 1;
}
//~[late] SAFE
