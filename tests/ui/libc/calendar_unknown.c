//@ run: check
//@ revisions: any leap dates reached back
// The date of a time that is not known: for each time there is one, whatever the program then asks.
#include <assert.h>
#include <raddle.h>
#include <string.h>
#include <time.h>

#define DAY 86400l

int main(void)
{
    struct tm t;
#if defined dates || defined reached
    /* Around every kind of boundary; what is known is computed otherwise, and compared with the system's elsewhere. */
    static const long days[] = {0, 58, 59, 364, 365, 789, 790, 1095, 1096, 10956, 11015, 11016, 11017, 11322, 11323, 19722,
        19781, 19782, 20087, 20088, 47540, 47541, 47599, 47600, 84064, 120588, 157112, 157113, 2932896};
    for (unsigned i = 0; i < sizeof days / sizeof *days; i++) {
        time_t known = days[i] * DAY + i * 2971 % DAY, now;
        raddle_symbolic(&now, sizeof now, "now");
        raddle_assume(now == known);
        struct tm same;
        gmtime_r(&known, &same);
        gmtime_r(&now, &t);
        assert(t.tm_sec == same.tm_sec && t.tm_min == same.tm_min && t.tm_hour == same.tm_hour);
        assert(t.tm_mday == same.tm_mday && t.tm_mon == same.tm_mon && t.tm_year == same.tm_year);
        assert(t.tm_wday == same.tm_wday && t.tm_yday == same.tm_yday && !strcmp(t.tm_zone, same.tm_zone));
    }
#ifdef reached
    /* None of these times was lost: it would have had no date. */
    assert(0); //~[reached] ASSERTION
#endif
#else
    time_t now = time(NULL);
    gmtime_r(&now, &t);
#ifdef back
    /* Midnight is as many seconds back as the time of day says. */
    time_t day = now - (t.tm_hour * 3600 + t.tm_min * 60 + t.tm_sec);
    assert(day <= now && now - day < DAY);
    t.tm_sec = t.tm_min = t.tm_hour = 0;
    assert(timegm(&t) <= now + 400 * DAY);
#elif defined leap
    assert(t.tm_mon != 1 || t.tm_mday < 29 || t.tm_year != 124); //~[leap] ASSERTION inputs=time
#else
    char text[64];
    assert(strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %b %j %y %p", &t) == 37);
    assert(text[4] == '-' && text[7] == '-' && text[10] == ' ' && text[13] == ':');
    assert(t.tm_mday >= 1 && t.tm_mday <= (t.tm_mon == 1 ? 29 : 31) && t.tm_yday <= 365 && t.tm_year >= 70);
#endif
#endif
    return 0;
}
//~[any] SAFE executions=2
//~[dates,back] SAFE
