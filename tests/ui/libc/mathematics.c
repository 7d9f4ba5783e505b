//@ run: check
//@ revisions: few many wrong domain extended threads
// Functions of <math.h> take the values that their operands have: all of them where they are few. What has no model is said.
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <raddle.h>
#include <stddef.h>

static void *root(void *arg)
{
    errno = 0;
    double no = sqrt(*(double *)arg);
    return errno == EDOM && isnan(no) && pow(10, 400) > 1 ? arg : NULL;
}

int main(void)
{
    int k;
    raddle_symbolic(&k, sizeof k, "k");
#if defined few
    raddle_assume(k >= 0 && k < 5);
    assert(sqrt(k * k) == k && lround(cbrt(k * k * k)) == k && fmod(k, 2) == k % 2 && floor(k / 2.0) == k / 2);
#elif defined many
    double x;
    raddle_symbolic(&x, sizeof x, "x");
    assert(!(exp(x) < 0));
#elif defined wrong
    raddle_assume(k >= 0 && k < 5);
    assert(log2(k) != 2); //~[wrong] ASSERTION inputs=k
#elif defined domain
    raddle_assume(k >= 0 && k < 5);
    errno = 0;
    double y = log(k);
    assert(errno != ERANGE || y > 0); //~[domain] ASSERTION inputs=k
#elif defined extended
    sinl(1.0L);
    return sqrtl(4.0L) != 2;
#else
    static double minus = -1;
    pthread_t a, b;
    void *left, *right;
    pthread_create(&a, NULL, root, &minus);
    pthread_create(&b, NULL, root, &minus);
    pthread_join(a, &left);
    pthread_join(b, &right);
    assert(left && right);
#endif
    (void)root;
    return 0;
}
//~[few] SAFE
//~[many] INCONCLUSIVE ledger=concretized
//~[extended] INCONCLUSIVE ledger=external_call
//~[threads] SAFE executions=1
