//@ run: check
//@ revisions: once twice
// Who waits and blocks one signal more each time comes back to where it was only once there is none left to be blocked.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int ready;

static int blocks(int signal)
{
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, signal);
}

static void block_one_more(void)
{
    sigset_t more;
    sigemptyset(&more);
#ifdef twice
    sigaddset(&more, blocks(SIGUSR1) ? SIGUSR2 : SIGUSR1);
#else
    sigaddset(&more, SIGUSR1);
#endif
    pthread_sigmask(SIG_BLOCK, &more, NULL);
}

static void *writer(void *argument)
{
    ready = 1;
    return argument;
}

static void *reader(void *argument)
{
    while (!ready)
        block_one_more();
    assert(!blocks(SIGUSR2)); //~[twice] ASSERTION
    return argument;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&other, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
//~[once] SAFE
