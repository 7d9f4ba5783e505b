//@ run: check
//@ flags: --data-model ilp32
// Times have 32 bits: what stands beside one is not read, and what does not fit is an error.
#include <assert.h>
#include <errno.h>
#include <time.h>

int main(void)
{
    time_t times[] = {86400, -1};
    assert(sizeof times == 8);
    struct tm *t = gmtime(&times[0]);
    assert(t->tm_year == 70 && t->tm_mday == 2);
    t = gmtime(&times[1]);
    assert(t->tm_year == 69 && t->tm_sec == 59);
    struct tm far = {.tm_year = 2038 - 1900, .tm_mon = 0, .tm_mday = 20};
    errno = 0;
    assert(timegm(&far) == -1 && errno == EOVERFLOW);
    struct tm last = {.tm_year = 2038 - 1900, .tm_mon = 0, .tm_mday = 19, .tm_hour = 3, .tm_min = 14, .tm_sec = 7};
    time_t end = timegm(&last);
    assert(end == 2147483647 && ctime(&end)[0] == 'T');
    assert(end == 0); //~ ASSERTION
    return 0;
}
