//@ run: races
//@ revisions: bare locked
// Without --op: every visible function that reaches shared memory and is not only called by other operations.
// Neither the helper, nor main, nor what touches nothing shared; but clients may call the helper, where it races.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

void helper(int n)
{
    total += n; //~[bare] RACE read/write //~[bare] RACE write/write
}

int square(int n)
{
    return n * n;
}

void add(int n)
{
#ifdef locked
    pthread_mutex_lock(&lock);
#endif
    helper(square(n));
#ifdef locked
    pthread_mutex_unlock(&lock);
#endif
}

int main(void)
{
    pthread_mutex_init(&lock, NULL);
    add(2);
    return total;
}
//~[bare] PAIR add add findings
//~[locked] PAIR add add safe
//~[locked] INCONCLUSIVE executions=2 ledger=called_by_others
