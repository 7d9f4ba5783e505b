//@ run: check
//@ revisions: posix c11 posix_looks c11_looks
// A time limit may be over while the other thread is in its section: the wait is over then, and the mutex is taken when that has
// left. So it may say that it is too late though what was waited for has come.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#if defined c11 || defined c11_looks
#define mutex_t mtx_t
#define lock(m) mtx_lock(m)
#define unlock(m) mtx_unlock(m)
#define wait_for(m, limit) (cnd_timedwait(&changed, m, limit) == thrd_timedout)
#define wake() cnd_signal(&changed)
static cnd_t changed;
#else
#define mutex_t pthread_mutex_t
#define lock(m) pthread_mutex_lock(m)
#define unlock(m) pthread_mutex_unlock(m)
#define wait_for(m, limit) (pthread_cond_timedwait(&changed, m, limit) == ETIMEDOUT)
#define wake() pthread_cond_signal(&changed)
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
#endif

static mutex_t mutex;
static int ready;

static void *setter(void *arg)
{
    lock(&mutex);
    ready = 1;
    wake();
    unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec soon = {.tv_sec = 1};
    int late = 0;
#if defined c11 || defined c11_looks
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
#endif
    pthread_create(&t, NULL, setter, NULL);
    lock(&mutex);
    while (!ready && !late)
        late = wait_for(&mutex, &soon);
#if defined posix || defined c11
    assert(!late || !ready); //~[posix,c11] ASSERTION
#else
    assert(late || ready);
#endif
    unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
//~[posix_looks,c11_looks] SAFE
