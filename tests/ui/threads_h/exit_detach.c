//@ run: check
//@ revisions: bare locked
// thrd_exit with a value, thrd_detach of a thread that nobody waits for.
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int log_lines;

static int logger(void *arg)
{
    (void)arg;
    mtx_lock(&lock);
    log_lines = 1; //~[bare] RACE@log write
    mtx_unlock(&lock);
    thrd_exit(1);
}

static int leaver(void *arg)
{
    (void)arg;
    thrd_exit(9);
}

int main(void)
{
    thrd_t a, b;
    int result = 0;
    mtx_init(&lock, mtx_plain);
    thrd_create(&a, logger, NULL);
    thrd_detach(a);
    thrd_create(&b, leaver, NULL);
    thrd_join(b, &result);
    assert(result == 9);
#ifdef locked
    mtx_lock(&lock);
#endif
    int seen = log_lines; //~[bare] RACE@log read
#ifdef locked
    mtx_unlock(&lock);
#endif
    return seen;
}
//~[locked] SAFE
