//@ run: races --op lend --op use --globals=initial
//@ revisions: leaves stays
//@ tsan-silent: ThreadSanitizer does not see the end of a function's variable
// A pointer to an element of a local array is handed out, which one depends on the input. Whoever still has it when the
// function returns races with the end of the array.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *lent;
#ifdef stays
static int table[4];
#endif

void lend(unsigned k)
{
#ifndef stays
    int table[4] = { 0 };
#endif
    pthread_mutex_lock(&lock);
    lent = &table[k & 3];
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    lent = 0;
    pthread_mutex_unlock(&lock);
} //~[leaves] RACE@end free

int use(void)
{
    pthread_mutex_lock(&lock);
    int *p = lent;
    pthread_mutex_unlock(&lock);
    return p ? *p : 0; //~[leaves] RACE@end read
                       //~^[leaves] USE_AFTER_FREE
}
//~[stays] SAFE executions=13
