//@ run: check
//@ revisions: unrelated operand deadlock unknown fixed
// Failures of other kinds: one whose operand the function has chosen is not confirmed, others are.
#include <assert.h>
#include <pthread.h>
#include <sys/statvfs.h>

int ask_the_oracle(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    struct statvfs answer = {0};
    int x = 0, how = statvfs("/", &answer);
    (void)how, (void)m;
#ifdef unrelated
    assert(x == 1); //~[unrelated] ASSERTION
#elif defined(operand)
    assert(how == 0); //~[operand] ASSERTION inputs=statvfs()
#elif defined(deadlock)
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m); //~[deadlock] DEADLOCK
#elif defined(unknown)
    x = ask_the_oracle() * 0;
    assert(x == 1); //~[unknown] ASSERTION
#else
    assert(x == 0);
#endif
    return x;
}
//~[unrelated,deadlock] FINDINGS ledger=external_call
//~[operand,unknown] INCONCLUSIVE ledger=external_call unconfirmed=1
//~[fixed] INCONCLUSIVE ledger=external_call
