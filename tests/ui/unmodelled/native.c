//@ run: check --native-tests=unconfirmed
//@ revisions: racy locked checked
// Where the real function is there, the test of a race is built and run with it: what shows under ThreadSanitizer counts.
// `flockfile` is a lock, so that nothing shows between it and `funlockfile`.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

static int hits;

static void *count(void *arg)
{
#ifdef racy
    struct pollfd none = {.fd = -1};
    poll(&none, 1, 1);
#elif defined(locked)
    flockfile(stderr);
#endif
    hits++; //~ RACE read/write
    //~^ RACE write/write
#ifdef locked
    funlockfile(stderr);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
#ifdef checked
    struct statvfs answer;
    if (statvfs("/", &answer) != 0)
        exit(1);
#endif
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
//~[racy,checked] FINDINGS ledger=external_call
//~[locked] INCONCLUSIVE ledger=external_call unconfirmed=2
