// Sets of signals, what is done about them, what threads block, and signals that are ignored.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void *child(void *arg)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    printf("inherited %d %d\n", sigismember(&mask, SIGUSR1), sigismember(&mask, SIGUSR2));
    return arg;
}

int main(void)
{
    sigset_t set, other, old;
    sigemptyset(&set);
    printf("%d %d\n", sigaddset(&set, SIGINT), sigismember(&set, SIGINT));
    for (int i = -1; i < 67; i += 3) {
        errno = 0;
        int added = sigaddset(&set, i);
        printf("%d: %d %d %d\n", i, added, added < 0 ? errno == EINVAL : 0, sigismember(&set, i));
    }
    printf("%d %d\n", sigdelset(&set, SIGINT), sigismember(&set, SIGINT));
    sigfillset(&other);
    for (int i = 30; i < 36; i++)
        printf("%d", sigismember(&other, i));
    printf("\n%d %d\n", sigisemptyset(&set), sigisemptyset(&other));
    sigandset(&old, &set, &other);
    printf("%d %d\n", sigismember(&old, 2), sigismember(&old, 5));

    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGTERM);
    printf("%d\n", sigaction(SIGUSR2, &action, &before));
    printf("%d\n", before.sa_handler == SIG_DFL);
    printf("%d\n", sigaction(SIGUSR2, NULL, &before));
    printf("%d %d\n", before.sa_handler == SIG_IGN, sigismember(&before.sa_mask, SIGTERM));
    printf("%d %d\n", signal(SIGKILL, SIG_IGN) == SIG_ERR, errno == EINVAL);
    printf("%d\n", signal(SIGUSR2, SIG_DFL) == SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    printf("%d %d\n", raise(SIGPIPE), raise(SIGCHLD));
    printf("%d %d\n", pthread_kill(pthread_self(), 0), pthread_kill(pthread_self(), 70) == EINVAL);

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    printf("%d\n", pthread_sigmask(SIG_BLOCK, &set, &old));
    printf("%d\n", sigismember(&old, SIGUSR1));
    pthread_t thread;
    pthread_create(&thread, NULL, child, NULL);
    pthread_join(thread, NULL);
    sigfillset(&set);
    printf("%d\n", sigprocmask(SIG_SETMASK, &set, &old));
    printf("%d %d\n", sigismember(&old, SIGUSR1), sigismember(&old, SIGUSR2));
    sigprocmask(SIG_UNBLOCK, &old, &set);
    printf("%d %d\n", sigismember(&set, SIGKILL), sigismember(&set, SIGUSR2));
    printf("%d %d\n", pthread_sigmask(9, &set, NULL) == EINVAL, sigprocmask(9, &set, NULL));
    for (int i = -1; i < 70; i++)
        printf("%s\n", strsignal(i));
    return 0;
}
