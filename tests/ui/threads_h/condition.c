//@ run: check
//@ revisions: once loop
// cnd_wait may return without a signal, as pthread_cond_wait may.
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int ready;

static int setter(void *arg)
{
    (void)arg;
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&changed);
    cnd_broadcast(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t t;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&t, setter, NULL);
    mtx_lock(&lock);
#ifdef loop
    while (!ready)
#else
    if (!ready)
#endif
        cnd_wait(&changed, &lock);
    assert(ready); //~[once] ASSERTION
    mtx_unlock(&lock);
    thrd_join(t, NULL);
    cnd_destroy(&changed);
    return 0;
}
//~[loop] SAFE
