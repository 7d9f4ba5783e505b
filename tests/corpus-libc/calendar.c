// Calendars: days around every kind of boundary, members out of their ranges, every conversion of strftime with its flags.
// needs: 64 bits, for its dates
// The time zone is that of Greenwich, in both builds.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void shown(const struct tm *t)
{
    if (!t) {
        printf("none %d\n", errno == EOVERFLOW);
        return;
    }
    printf("%d-%d-%d %d:%d:%d %d %d %d %ld %s\n", t->tm_year, t->tm_mon, t->tm_mday, t->tm_hour, t->tm_min, t->tm_sec, t->tm_wday,
           t->tm_yday, t->tm_isdst, t->tm_gmtoff, t->tm_zone);
}

int main(void)
{
    static const time_t times[] = {0, 1, -1, 59, 86399, 86400, -86400, -86401, 951782399, 951782400, 951868799, 951868800, 1078012800,
        1709164800, 1709251199, 4107456000, 253402300799, 253402300800, -2208988800, -62135596800, -62167219200, -62167219201,
        1000000000, 1234567890, 2147483647, 2147483648, 67767976233532799, 67767976233532800, -67768040609740800, -67768040609740801};
    char text[256], date[26];
    struct tm t;
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
        printf("%ld: ", (long)times[i]);
        shown(gmtime(&times[i]));
        shown(gmtime_r(&times[i], &t));
        shown(localtime(&times[i]));
        struct tm *made = localtime_r(&times[i], &t);
        if (made) {
            printf("%d %d\n", mktime(&t) == times[i], timegm(&t) == times[i]);
            if (t.tm_year < 8000 && t.tm_year > -900)
                printf("%s%s%s%s", asctime(&t), asctime_r(&t, date), ctime(&times[i]), ctime_r(&times[i], date));
        }
    }
    static const int parts[][6] = {{120, 12, 0, 0, 0, 0}, {120, -1, 31, 25, 61, 61}, {0, 0, 0, 0, 0, -1}, {99, 25, 400, -30, 1000, 100000},
        {1, 1, 29, 0, 0, 0}, {104, 1, 30, 0, 0, 0}, {-1900, 0, 1, 0, 0, 0}, {70, 1200, -5000, 0, 0, 0}};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        t = (struct tm){.tm_year = parts[i][0], .tm_mon = parts[i][1], .tm_mday = parts[i][2], .tm_hour = parts[i][3],
                        .tm_min = parts[i][4], .tm_sec = parts[i][5]};
        struct tm u = t;
        printf("%ld ", (long)mktime(&t));
        shown(&t);
        printf("%ld ", (long)timegm(&u));
        shown(&u);
    }
    /* Years that begin on each day of the week, their first and last days, and some between. */
    for (int year = 95; year < 125; year++)
        for (int day = -3; day < 366; day += day < 4 || day > 355 ? 1 : 27) {
            t = (struct tm){.tm_year = year, .tm_mday = day, .tm_hour = (day + year) % 24};
            timegm(&t);
            strftime(text, sizeof text, "%a %A %b %B %h %C %d %D %e %F %g %G %H %I %j %k %l %m %M %p %P %r %R %S %T %u %U %V %w %W "
                                        "%x %X %y %Y %Z %z %s %c%n%t%%", &t);
            puts(text);
        }
    static const char *const formats[] = {"%_d|%-d|%0e|%-e", "%^a|%^B|%#b|%#p|%^Z", "%10d|%10Y|%3j|%_5H|%-5H", "%10a|%-10a|%010b|%_10B",
        "%Ey|%Od|%EY|%Ec", "%5%|%3n|%10z|%_8z|%-z", "%20c|%^c|%20D|%^20F", "%3C|%_3m|%-m|%_y|%-y", "%10p|%^P|%#Z", "%012s|%_12s"};
    t = (struct tm){.tm_year = 109, .tm_mon = 1, .tm_mday = 3, .tm_hour = 4, .tm_min = 5, .tm_sec = 6};
    timegm(&t);
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        printf("%zu [%s]\n", strftime(text, sizeof text, formats[i], &t), text);
    for (size_t room = 0; room < 12; room++)
        printf("%zu ", strftime(text, room, "%H:%M:%S", &t));
    t = (struct tm){.tm_year = -1850, .tm_mday = 1, .tm_wday = 9, .tm_mon = 14};
    printf("%zu [%s]\n", strftime(text, sizeof text, "%a %A %b %B %Y %C %y", &t), text);
    printf("%s", asctime(&t));
    printf("%.1f %.1f %.1f\n", difftime(5, 9), difftime(1l << 62, 1), difftime(1, -(1l << 62)));
    return 0;
}
