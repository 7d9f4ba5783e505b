//@ run: races
//@ revisions: never any written escapes
//@[any] flags: --any-static
// A static variable that no code writes, and whose address goes nowhere, is what the source says.
#include <pthread.h>

static int limit = 4;
static int late;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void hit(void)
{
    pthread_mutex_lock(&lock);
    int high = limit > 10;
    pthread_mutex_unlock(&lock);
    if (high)
        late++; //~[any,written,escapes] RACE read/write
                //~^[any,written,escapes] RACE write/write
}

#if defined(written)
void configure(int value)
{
    pthread_mutex_lock(&lock);
    limit = value;
    pthread_mutex_unlock(&lock);
}
#elif defined(escapes)
int *setting(void)
{
    return &limit;
}
#endif
//~[never] SAFE
