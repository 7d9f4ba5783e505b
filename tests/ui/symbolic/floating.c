//@ run: check
//@ revisions: both locked
// Numbers of SV-COMP's, and an input in a comparison beside a race: the race needs an input of which only its neighbours are not one.
#include <pthread.h>

extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);

static double total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static double limit;

static void *add(void *argument)
{
    (void)argument;
    if (limit * 2 == 0.75) {
#ifdef locked
        pthread_mutex_lock(&m);
#endif
        total += limit; //~[both] RACE read/write //~[both] RACE write/write
#ifdef locked
        pthread_mutex_unlock(&m);
#endif
    }
    return 0;
}

int main(void)
{
    pthread_t other;
    limit = __VERIFIER_nondet_double() + __VERIFIER_nondet_float();
    pthread_create(&other, 0, add, 0);
    add(0);
    pthread_join(other, 0);
    return 0;
}
//~[locked] SAFE
