//@ run: check
//@ revisions: racy fixed
//@ clang: -std=gnu89
// C as it was: implicit `int`, functions without a declaration, definitions in the old style.
#include <pthread.h>

static counter;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

add(n)
int n;
{
#ifdef fixed
    pthread_mutex_lock(&m);
#endif
    counter = helper(counter, n); //~[racy] RACE read/write
    //~^[racy] RACE write/write
#ifdef fixed
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

helper(a, b) { return a + b; }

void *run(arg)
void *arg;
{
    add(1);
    return arg;
}

main()
{
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    (void)m;
    return 0;
}
//~[fixed] SAFE
