//@ run: check
//@ revisions: bare guarded
// A table of handlers, called by an index from the input: one of them forgets the lock.
#include <pthread.h>
#include <raddle.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(int n)
{
    pthread_mutex_lock(&lock);
    total = n; //~[bare] RACE@table write
    pthread_mutex_unlock(&lock);
}

static void set(int n)
{
#ifdef guarded
    pthread_mutex_lock(&lock);
#endif
    total = n; //~[bare] RACE@table write
#ifdef guarded
    pthread_mutex_unlock(&lock);
#endif
}

static void nothing(int n)
{
    (void)n;
}

static void (*const handlers[])(int) = {add, set, nothing};

static void *worker(void *arg)
{
    add(1);
    return arg;
}

int main(void)
{
    unsigned which;
    raddle_symbolic(&which, sizeof which, "which");
    raddle_assume(which < 3);
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    handlers[which](2);
    pthread_join(t, NULL);
    return 0;
}
//~[guarded] SAFE
