//@ run: check
//@ revisions: sent wrong ignored outside
// What the program sends to itself arrives at once; that a handler of its own may run whenever a signal comes from outside is
// not explored, which matters only where one is installed.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

static int caught;
static void handler(int number) { caught += number; }

int main(void)
{
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    (void)handler, (void)before;
#ifdef ignored
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    assert(signal(SIGPIPE, SIG_DFL) == SIG_IGN);
    assert(raise(SIGCHLD) == 0 && pthread_kill(pthread_self(), 0) == 0);
#else
    action.sa_handler = handler;
    action.sa_flags = SA_RESETHAND;
    assert(sigaction(SIGUSR1, &action, &before) == 0 && before.sa_handler == SIG_DFL);
#ifndef outside
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &before);
#ifdef wrong
    assert(caught == 0); //~[wrong] ASSERTION
#endif
    assert(caught == SIGUSR1 && before.sa_handler == SIG_DFL);
#endif
#endif
    return 0;
}
//~[ignored] SAFE
//~[sent,outside] INCONCLUSIVE ledger=concretized
//~[wrong] FINDINGS ledger=concretized
