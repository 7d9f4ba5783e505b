/* Time (C11 7.27, POSIX <time.h>, <sys/time.h>, <unistd.h>).
 *
 * Clocks show any time from 1970 to 9999, or to the last that fits a `long`, that is not before what they showed last.
 *
 * Provides: time clock clock_gettime clock_getres gettimeofday timespec_get clock_nanosleep difftime */

struct timespec { long seconds, part; };
/* A time as it is kept; its part in units of so many nanoseconds. */
struct moment { int64_t seconds, part, unit; };

enum { CLOCKS = 12, CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 1, CLOCK_REALTIME_COARSE = 5, CLOCK_MONOTONIC_COARSE = 6 };
#define LAST_SECOND (sizeof(long) == 8 ? 253402300799 : INT32_MAX)
#define BILLION 1000000000

/* What each clock showed last. */
GUARDED struct moment __raddle_clocks[CLOCKS];
GUARDED int64_t __raddle_ticks;

static int shared(int clock)
{
    return clock == CLOCK_REALTIME_COARSE ? CLOCK_REALTIME : clock == CLOCK_MONOTONIC_COARSE ? CLOCK_MONOTONIC : clock;
}

static struct timespec now(int clock, const char *seconds, const char *part, int64_t parts)
{
    struct moment *last = &__raddle_clocks[shared(clock)];
    struct timespec t;
    __raddle_enter(last);
    t.seconds = (long)__raddle_shown(seconds, sizeof(long), last, 0);
    t.part = (long)__raddle_shown(part, sizeof(long), last, 1);
    __raddle_given((t.seconds >= 0) & (t.seconds <= LAST_SECOND) & (t.part >= 0) & (t.part < parts));
    int64_t unit = BILLION / parts;
    /* Products are harder to compare than what is multiplied. */
    int later = last->unit == 0      ? t.part >= 0
                : last->unit == unit ? t.part >= last->part
                                     : t.part * unit >= last->part * last->unit;
    __raddle_given((t.seconds > last->seconds) | ((t.seconds == last->seconds) & later));
    last->seconds = t.seconds;
    last->part = t.part;
    last->unit = unit;
    return t;
}

long time(long *at)
{
    struct moment *last = &__raddle_clocks[CLOCK_REALTIME];
    __raddle_enter(last);
    long seconds = (long)__raddle_shown("time", sizeof(long), last, 0);
    __raddle_given((seconds >= last->seconds) & (seconds <= LAST_SECOND));
    /* Within a second, the clock may stand still or go on. */
    last->part *= seconds == last->seconds;
    last->seconds = seconds;
    if (at)
        *at = seconds;
    return seconds;
}

int clock_gettime(int clock, struct timespec *at)
{
    if (clock < 0 || clock >= CLOCKS) {
        errno = EINVAL;
        return -1;
    }
    struct timespec t = now(clock, "clock_gettime.tv_sec", "clock_gettime.tv_nsec", BILLION);
    *at = t;
    return 0;
}

int clock_getres(int clock, struct timespec *at)
{
    if (clock < 0 || clock >= CLOCKS) {
        errno = EINVAL;
        return -1;
    }
    if (at)
        *at = (struct timespec){0, 1};
    return 0;
}

int timespec_get(struct timespec *at, int base)
{
    if (base != 1)
        return 0;
    *at = now(CLOCK_REALTIME, "timespec_get.tv_sec", "timespec_get.tv_nsec", BILLION);
    return base;
}

int gettimeofday(struct timespec *at, void *zone)
{
    if (at)
        *at = now(CLOCK_REALTIME, "gettimeofday.tv_sec", "gettimeofday.tv_usec", 1000000);
    (void)zone;
    return 0;
}

long clock(void)
{
    __raddle_enter(&__raddle_ticks);
    long ticks = (long)__raddle_shown("clock", sizeof(long), &__raddle_ticks, 0);
    __raddle_given((ticks >= __raddle_ticks) & (ticks <= LONG_MAX / 1000));
    __raddle_ticks = ticks;
    return ticks;
}

/* Rounded once. */
double difftime(int64_t end, int64_t begin)
{
    return end >= begin ? (double)((uint64_t)end - (uint64_t)begin) : -(double)((uint64_t)begin - (uint64_t)end);
}

/* How long a thread sleeps is no part of any schedule: all of them are explored anyway. */
static int is_valid(const struct timespec *t) { return t->seconds >= 0 && t->part >= 0 && t->part < BILLION; }

int clock_nanosleep(int clock, int flags, const struct timespec *wanted, struct timespec *left)
{
    (void)flags, (void)left;
    return clock >= 0 && clock < CLOCKS && is_valid(wanted) ? 0 : EINVAL;
}
