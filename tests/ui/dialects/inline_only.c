//@ run: check
//@ revisions: racy fixed
//@ clang: -std=c99
// An inline function of which no file has the external definition: the inline one is taken (C11 6.7.4p7). A call of it is a call of
// a function that is known, so that nothing is lost.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int hits;

inline void bump(int by)
{
    hits = by; //~[racy] RACE write/write
}

static void *count(void *arg)
{
#ifdef fixed
    pthread_mutex_lock(&m);
#endif
    bump(1);
#ifdef fixed
    pthread_mutex_unlock(&m);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    (void)m;
    return 0;
}
//~[racy] FINDINGS ledger=
//~[fixed] SAFE
