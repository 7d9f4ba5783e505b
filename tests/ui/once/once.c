//@ run: check
//@ revisions: flag once
// Initialising behind a plain flag races; pthread_once runs it one time, and before either call returns.
#include <assert.h>
#include <pthread.h>

static int runs, table;

static void set_up(void)
{
    runs++; //~[flag] RACE read/write //~[flag] RACE write/write
    table = 7; //~[flag] RACE write/write //~[flag] RACE@table write
}

#ifdef once
static pthread_once_t control = PTHREAD_ONCE_INIT;
#else
static int done;
#endif

static void *worker(void *arg)
{
#ifdef once
    pthread_once(&control, set_up);
#else
    if (!done) { //~[flag] RACE@done read
        set_up();
        done = 1; //~[flag] RACE@done write //~[flag] RACE write/write
    }
#endif
    int got = table; //~[flag] RACE@table read
#ifdef once
    assert(got == 7 && runs == 1);
#endif
    (void)got;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[once] SAFE
