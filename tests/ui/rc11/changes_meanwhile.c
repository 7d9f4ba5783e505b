//@ run: check
//@ revisions: nothing mask detach cleanup
// A look in vain matters where it leaves something behind that is in no variable: what signals are blocked, whether a thread can be joined, what a
// handler is given.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define RELAXED memory_order_relaxed

static atomic_int x, y;

static void *returns(void *argument)
{
    return argument;
}

static void handler(void *round)
{
    assert(round == NULL);
}

static int blocks(void)
{
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, SIGUSR1);
}

static void meanwhile(pthread_t thread)
{
#if defined mask
    sigset_t more;
    sigemptyset(&more);
    sigaddset(&more, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &more, NULL);
#elif defined detach
    pthread_detach(thread);
#endif
    (void)thread;
}

static void *writer(void *argument)
{
    atomic_store_explicit(&x, 1, RELAXED);
    atomic_store_explicit(&y, 1, RELAXED);
    return argument;
}

static void *reader(void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, returns, NULL);
    if (atomic_load_explicit(&y, RELAXED)) {
#ifdef cleanup
        for (long round = 0;; round = 1) {
            pthread_cleanup_push(handler, (void *)round);
            if (atomic_load_explicit(&x, RELAXED))
                pthread_exit(NULL);
            pthread_cleanup_pop(0);
        }
#else
        while (!atomic_load_explicit(&x, RELAXED))
            meanwhile(thread);
#endif
        assert(!blocks());
    }
    pthread_join(thread, NULL);
    return argument;
}

int main(void)
{
    pthread_t one, other;
    (void)handler;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&other, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
//~[nothing] SAFE
//~[mask] INCONCLUSIVE ledger=weak_memory
//~[detach] INCONCLUSIVE ledger=weak_memory
//~[cleanup] INCONCLUSIVE ledger=weak_memory
