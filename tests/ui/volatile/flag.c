//@ run: check
//@ revisions: plain relaxed accepted message
//@[relaxed] flags: --volatile=relaxed
//@[accepted] flags: --volatile=relaxed --memory=sc
//@[message] flags: --volatile=relaxed --memory=sc
// A volatile flag races like any other variable. Taken for a relaxed atomic one it does not, but orders nothing either.
#include <pthread.h>

static volatile int flag;
static int data;

static void *worker(void *arg)
{
#ifdef message
    data = 1; //~[message] RACE@data write
#endif
    flag = 1; //~[plain] RACE@flag write
    return arg;
}

int main(void)
{
    pthread_t t;
    int got = 0;
    pthread_create(&t, NULL, worker, NULL);
    if (flag) //~[plain] RACE@flag read
#ifdef message
        got = data; //~[message] RACE@data read
#else
        got = 1;
#endif
    pthread_join(t, NULL);
    return got + data == 7;
}
//~[relaxed] INCONCLUSIVE ledger=weak_memory
//~[accepted] SAFE executions=2
