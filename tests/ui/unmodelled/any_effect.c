//@ run: check --native-tests=unconfirmed
//@ revisions: havoc fail ends
//@[fail] flags: --extern=fail
// A function that nothing models returns anything and may write what it is given. What fails because of that is not
// confirmed: another thread's race that does not depend on it is found all the same.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/statvfs.h>

static int hits;

static void *count(void *arg)
{
    hits++; //~[havoc,fail] RACE read/write
    //~^[havoc,fail] RACE write/write
    return arg;
}

static void *asks(void *arg)
{
    struct statvfs answer = {.f_bsize = 1};
    int how = statvfs("/", &answer);
    assert(how == 0 && answer.f_bsize != 2); //~[havoc] ASSERTION
    return arg;
}

int main(void)
{
#ifdef ends
    quick_exit(3);
#else
    pthread_t a, b, c;
    pthread_create(&a, NULL, asks, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_create(&c, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
#endif
    (void)asks, (void)count;
    return hits;
}
//~[ends] INCONCLUSIVE ledger=external_call executions=1
//~[havoc] FINDINGS ledger=external_call unconfirmed=1
//~[fail] FINDINGS ledger=external_call
