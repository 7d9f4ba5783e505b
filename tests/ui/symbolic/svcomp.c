//@ run: check --memory=sc
//@ revisions: wrong right
// SV-COMP's names work as they are: inputs of each type, assumptions, and an error function that asserts.
// The two critical sections of the twin have two orders.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);

void reach_error(void)
{
    assert(0); //~[wrong] ASSERTION
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    x = x + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int k = __VERIFIER_nondet_int();
    unsigned char c = __VERIFIER_nondet_uchar();
    _Bool b = __VERIFIER_nondet_bool();
    __VERIFIER_assume(k > 6);
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    x = x + 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
#ifdef wrong
    if ((k == 7) & (c == 200) & b)
        reach_error();
#else
    if (x != 2 || k < 7)
        reach_error();
    (void)c;
    (void)b;
#endif
    return 0;
}
//~[right] SAFE executions=2
