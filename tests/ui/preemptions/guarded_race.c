//@ run: check
//@ revisions: none one
//@[none] flags: --preemptions 0
//@[one] flags: --preemptions 1
// The reader gets at the data only while the writer is between its two critical sections.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int open, data;

static void set(int value)
{
    pthread_mutex_lock(&lock);
    open = value;
    pthread_mutex_unlock(&lock);
}

static void *writer(void *arg)
{
    set(1);
    data = 1; //~[one] RACE@data write
    set(0);
    return arg;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&lock);
    int is_open = open;
    pthread_mutex_unlock(&lock);
    return is_open && data ? arg : NULL; //~[one] RACE@data read
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[none] SAFE executions=2
//~[one] FINDINGS
