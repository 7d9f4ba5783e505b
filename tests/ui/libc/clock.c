//@ run: check
//@ revisions: right wrong shared
// Time does not run backwards, in one thread or seen from two.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static time_t seen;
static void *look(void *arg)
{
    seen = time(NULL);
    return arg;
}

int main(void)
{
#ifdef shared
    pthread_t other;
    pthread_create(&other, NULL, look, NULL);
    time_t now = time(NULL);
    pthread_join(other, NULL);
    assert(now <= seen); //~[shared] ASSERTION inputs=time
#else
    time_t before = time(NULL), after = time(NULL);
#ifdef wrong
    assert(after > before); //~[wrong] ASSERTION inputs=time
#else
    assert(after >= before && before >= 0);
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));
    (void)look, (void)seen;
#endif
#endif
    return 0;
}
//~[right] SAFE
