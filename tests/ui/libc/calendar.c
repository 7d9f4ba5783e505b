//@ run: check
//@ revisions: shared apart local open wrong
//@[shared] tsan-silent: ThreadSanitizer does not see the structure that gmtime keeps
// gmtime returns one structure to all threads, gmtime_r writes where the caller says. In which zone the machine is, is not known.
#include <assert.h>
#include <pthread.h>
#include <raddle.h>
#include <string.h>
#include <time.h>

static void *year(void *arg)
{
    time_t now = 86400;
    struct tm own, *t = &own;
#ifdef shared
    t = gmtime(&now); //~[shared] RACE write/write
#else
    gmtime_r(&now, &own);
#endif
    return t ? arg : NULL;
}

int main(void)
{
    struct tm t;
    time_t now = 1709164800;
    char text[32];
#ifdef local
    localtime_r(&now, &t);
    return t.tm_year != 124;
#elif defined open || defined wrong
    /* Any day from the first of February of 2024 to the end of March. */
    int day;
    raddle_symbolic(&day, sizeof day, "day");
    raddle_assume(day >= 0 && day < 60);
    now = 1706745600 + day * 86400l;
    gmtime_r(&now, &t);
    assert(t.tm_mday >= 1 && t.tm_mday <= 31 && t.tm_wday >= 0 && t.tm_wday < 7);
#ifdef wrong
    assert(t.tm_mon != 1 || t.tm_mday < 29); //~[wrong] ASSERTION inputs=day
#else
    assert(t.tm_mon != 1 || t.tm_mday <= 29);
    assert(t.tm_yday == day + 31 && t.tm_year == 124);
#endif
#else
    pthread_t a, b;
    pthread_create(&a, NULL, year, NULL);
    pthread_create(&b, NULL, year, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    gmtime_r(&now, &t);
    strftime(text, sizeof text, "%F %j", &t);
    assert(strcmp(text, "2024-02-29 060") == 0);
#endif
    (void)text, (void)year;
    return 0;
}
//~[apart,open] SAFE
//~[local] INCONCLUSIVE ledger=concretized
