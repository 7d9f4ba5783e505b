//@ run: check
//@ revisions: racy fixed returned chosen written
// A function that only asks the system for something costs what depends on its answer: a race behind it is found as without
// it, unless the way to it depends on what it returned or wrote. (`native` tries those with the real function.)
#include <pthread.h>
#include <sys/statvfs.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *count(void *arg)
{
#ifdef fixed
    pthread_mutex_lock(&m);
#endif
    hits++; //~[racy,returned,chosen,written] RACE read/write
    //~^[racy,returned,chosen,written] RACE write/write
#ifdef fixed
    pthread_mutex_unlock(&m);
#endif
    return arg;
}

int main(void)
{
    struct statvfs answer = {0};
    pthread_t a, b;
    int how = statvfs("/", &answer);
    (void)how, (void)m;
#ifdef chosen
    if (how != -123)
        return 0;
#elif defined(written)
    if (answer.f_bsize != 12345)
        return 0;
#endif
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef returned
    return how;
#endif
}
//~[racy,returned] FINDINGS ledger=external_call
//~[fixed] INCONCLUSIVE ledger=external_call
//~[chosen,written] INCONCLUSIVE ledger=external_call unconfirmed=2
