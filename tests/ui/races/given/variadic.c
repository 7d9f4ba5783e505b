//@ run: races
//@ revisions: reads named
// What callers of an operation pass beside the parameters that it names is not known: what it does with that is not explored, and that is said.
// It was called safe.
#include <pthread.h>
#include <stdarg.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int enabled, lines;

void enable(int on)
{
    pthread_mutex_lock(&lock);
    enabled = on;
    pthread_mutex_unlock(&lock);
}

void add(int count, ...)
{
    pthread_mutex_lock(&lock);
    int is_on = enabled;
    pthread_mutex_unlock(&lock);
    if (!is_on)
        return;
#ifdef reads
    va_list more;
    va_start(more, count);
    while (count-- > 0)
        lines += va_arg(more, int);
    va_end(more);
#else
    pthread_mutex_lock(&lock);
    lines += count;
    pthread_mutex_unlock(&lock);
#endif
}
//~[reads] INCONCLUSIVE ledger=unsupported
//~[named] SAFE
