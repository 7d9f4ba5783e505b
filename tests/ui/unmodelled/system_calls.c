//@ run: check
//@ revisions: tells asks unknown
// System calls by number: of those that only ask or tell nothing depends but what they return. Of others nothing is known.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int count;

static void *work(void *arg)
{
#if defined tells
    syscall(SYS_ioprio_set, 1, 0, 7 | (3 << 13));
#elif defined asks
    if (syscall(SYS_gettid) == 1)
        return arg;
#else
    syscall(SYS_kcmp, 0, 0, 0, 0, 0);
#endif
    count = 1; //~[tells,asks,unknown] RACE@count write
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    count = 2; //~[tells,asks,unknown] RACE@count write
    pthread_join(t, NULL);
    return 0;
}
//~[tells] FINDINGS ledger=external_call
//~[asks,unknown] INCONCLUSIVE ledger=external_call unconfirmed=1
