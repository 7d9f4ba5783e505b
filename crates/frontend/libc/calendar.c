/* Calendars (C11 7.27.3, POSIX <time.h>), in the "C" locale.
 *
 * Local time is that of Greenwich; the ledger says so where a function asks for it, for the machine may be elsewhere.
 *
 * Provides: gmtime gmtime_r localtime localtime_r mktime timelocal timegm asctime asctime_r ctime ctime_r strftime strftime_l
 * tzset tzname timezone daylight */

/* Of glibc: 32 bits where long has 32, unless _TIME_BITS says otherwise. */
typedef long time_t;

struct tm {
    int sec, min, hour, mday, mon, year, wday, yday, isdst;
    long offset;
    const char *zone;
};

enum { EOVERFLOW = 75, DAY = 86400 };

extern int snprintf(char *to, size_t room, const char *format, ...);

char *tzname[2] = {"UTC", "UTC"};
long timezone;
int daylight;

static void ask_for_zone(void) { __raddle_note("local time is explored for one time zone only, that of Greenwich"); }
void tzset(void) { ask_for_zone(); }

static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t rest_of(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }

/* A number that another one decides. */
static int part(const char *name, int64_t of, int least, int most)
{
    int value = (int)__raddle_function(name, of, sizeof(int));
    __raddle_given((value >= least) & (value <= most));
    return value;
}

/* Years before one, from the year 1 on, in spans of 400, 100, 4 and 1. */
struct years {
    int64_t eras;
    int centuries, fours, rest;
};

static int sum_of(const struct years *y) { return 400 * (int)y->eras + 100 * y->centuries + 4 * y->fours + y->rest; }

/* Where the year is not known, the other way round: without divisions. */
static struct years years_before(int64_t year)
{
    if (!__raddle_is_known(year) && year >= 1 && year <= 9999) {
        struct years y = {part("eras before", year, 0, 24), part("centuries before", year, 0, 3),
                          part("fours before", year, 0, 24), part("years before", year, 0, 3)};
        __raddle_given((int)year - 1 == sum_of(&y));
        return y;
    }
    int within = (int)rest_of(year - 1, 400);
    return (struct years){floor_of(year - 1, 400), within / 100, within % 100 / 4, within % 4};
}

/* Whether the year after these is one. */
static int leads_to_leap(const struct years *y) { return (y->rest == 3) & ((y->fours != 24) | (y->centuries == 3)); }
static int is_leap(int64_t year)
{
    struct years before = years_before(year);
    return leads_to_leap(&before);
}

/* Days in these years, counted from 1970. */
static int64_t days_in(const struct years *y)
{
    return 146097 * y->eras + 36524 * y->centuries + 1461 * y->fours + 365 * y->rest - 719162;
}
static int64_t days_before(int64_t year)
{
    struct years before = years_before(year);
    return days_in(&before);
}

/* Days of a year before each month and, for 12, of all; of one that is no leap year. */
static const short begins[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
static int days_before_month(int month, int leap)
{
    if (__raddle_is_known(month))
        return begins[month] + (month > 1 ? leap : 0);
    /* The solver knows sums better than tables. */
    int days = (month > 1) & leap;
    for (int i = 1; i <= 12; i++)
        days += (begins[i] - begins[i - 1]) * (month >= i);
    return days;
}

/* 9999-12-31 23:59:59, the last that clocks show. */
#define LAST_SECOND 253402300799

struct date {
    int year, month, day, weekday, day_of_year;
};

/* What is known of a time and what is not is written alike: in which order, others may see. */
static struct tm *filled(struct tm *to, const int clock[3], struct date date, const char *zone)
{
    to->sec = clock[0];
    to->min = clock[1];
    to->hour = clock[2];
    to->mday = date.day;
    to->mon = date.month;
    to->year = date.year;
    to->wday = date.weekday;
    to->yday = date.day_of_year;
    to->isdst = 0;
    to->offset = 0;
    to->zone = zone;
    return to;
}

/* Where the time is not known, a division for each part would ask the solver much, and a search for year and month would try
 * them all. The other way round there is no division: sums of products with constants say which time the parts make, and
 * for each time there is one choice of them that does. From 1970 to 9999. */
static struct tm *broken_down_unknown(int64_t time, struct tm *to, const char *zone)
{
    struct years before = {part("eras", time, 4, 24), part("centuries", time, 0, 3), part("fours", time, 0, 24),
                           part("years", time, 0, 3)};
    int within = part("day of year", time, 0, 365), leap = leads_to_leap(&before), day = (int)days_in(&before) + within;
    int hour = part("hour", time, 0, 23), minute = part("minute", time, 0, 59), second = part("second", time, 0, 59);
    __raddle_given((within < 365 + leap) & (time == (int64_t)day * DAY + (hour * 3600 + minute * 60 + second)));
    int full = part("year", time, 1970, 9999), week = part("week", time, 0, 418992), weekday = part("weekday", time, 0, 6);
    __raddle_given((full == sum_of(&before) + 1) & (day + 4 == 7 * week + weekday));
    int month = part("month", time, 0, 11), mday = part("day", time, 1, 31), past = 0, months = 0;
    for (int i = 1; i < 12; i++) {
        int is_past = within >= begins[i] + (i > 1 ? leap : 0);
        months += is_past;
        past += (begins[i] - begins[i - 1]) * is_past + (i == 2 ? is_past & leap : 0);
    }
    __raddle_given((month == months) & (mday == within - past + 1));
    int clock[] = {second, minute, hour};
    return filled(to, clock, (struct date){full - 1900, month, mday, weekday, within}, zone);
}

static struct tm *broken_down(int64_t time, struct tm *to, const char *zone)
{
    if (!__raddle_is_known(time) && time >= 0 && time <= LAST_SECOND)
        return broken_down_unknown(time, to, zone);
    int64_t day = floor_of(time, DAY), second = rest_of(time, DAY);
    /* A year has between 365 and 366 days, so that the first guess is one off at most. */
    int64_t year = 1970 + floor_of(day * 400, 146097);
    year += days_before(year + 1) <= day;
    year -= days_before(year) > day;
    if (year - 1900 > INT32_MAX || year - 1900 < INT32_MIN) {
        errno = EOVERFLOW;
        return NULL;
    }
    int within = (int)(day - days_before(year)), month = 0, leap = is_leap(year);
    while (days_before_month(month + 1, leap) <= within)
        month++;
    int clock[] = {(int)(second % 60), (int)(second / 60 % 60), (int)(second / 3600)};
    struct date date = {(int)(year - 1900), month, within - days_before_month(month, leap) + 1, (int)rest_of(day + 4, 7), within};
    return filled(to, clock, date, zone);
}

/* The members need not be in their ranges, and are afterwards. */
static int64_t seconds_of(struct tm *from, const char *zone)
{
    int month = from->mon;
    int64_t year = 1900 + (int64_t)from->year;
    if (month < 0 || month > 11) {
        year += floor_of(month, 12);
        month = (int)rest_of(month, 12);
    }
    int64_t day = days_before(year) + days_before_month(month, is_leap(year)) + from->mday - 1;
    int64_t time = ((day * 24 + from->hour) * 60 + from->min) * 60 + from->sec;
    struct tm normal;
    if (!broken_down(time, &normal, zone))
        return -1;
    *from = normal;
    return time;
}

/* What the functions that are not thread-safe return. */
struct tm __raddle_broken_down;
char __raddle_date[128];

struct tm *gmtime_r(const time_t *time, struct tm *to) { return broken_down(*time, to, "GMT"); }
struct tm *gmtime(const time_t *time) { return broken_down(*time, &__raddle_broken_down, "GMT"); }
struct tm *localtime_r(const time_t *time, struct tm *to)
{
    ask_for_zone();
    return broken_down(*time, to, "UTC");
}
struct tm *localtime(const time_t *time)
{
    ask_for_zone();
    return broken_down(*time, &__raddle_broken_down, "UTC");
}
static time_t as_time(int64_t seconds)
{
    if ((time_t)seconds == seconds)
        return (time_t)seconds;
    errno = EOVERFLOW;
    return -1;
}

time_t mktime(struct tm *from)
{
    ask_for_zone();
    return as_time(seconds_of(from, "UTC"));
}
time_t timelocal(struct tm *from) { return mktime(from); }
time_t timegm(struct tm *from) { return as_time(seconds_of(from, "GMT")); }

static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March", "April", "May", "June", "July", "August", "September",
                                     "October", "November", "December"};
/* Their first letters, at equal distances: so it does not matter which one it is. */
static const char short_days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char short_months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static int has_day(const struct tm *t) { return t->wday >= 0 && t->wday < 7; }
static int has_month(const struct tm *t) { return t->mon >= 0 && t->mon < 12; }

static char *dated(const struct tm *t, char *to, size_t room)
{
    if (!t) {
        errno = EINVAL;
        return NULL;
    }
    int n = snprintf(to, room, "%.3s %.3s%3d %.2d:%.2d:%.2d %ld\n", has_day(t) ? short_days[t->wday] : "???",
                     has_month(t) ? short_months[t->mon] : "???", t->mday, t->hour, t->min, t->sec, 1900 + (long)t->year);
    if (t->year > INT32_MAX - 1900 || (size_t)n >= room) {
        errno = EOVERFLOW;
        return NULL;
    }
    return to;
}

char *asctime_r(const struct tm *t, char *to) { return dated(t, to, 26); }
char *asctime(const struct tm *t) { return dated(t, __raddle_date, sizeof __raddle_date); }
char *ctime_r(const time_t *time, char *to)
{
    struct tm t;
    return localtime_r(time, &t) ? dated(&t, to, 26) : NULL;
}
char *ctime(const time_t *time)
{
    struct tm *t = localtime(time);
    return t ? asctime(t) : NULL;
}

/* ---- strftime. ---- */

struct sheet {
    char *to;
    size_t room, count;
};

static void put(struct sheet *sheet, int c)
{
    if (sheet->count < sheet->room)
        sheet->to[sheet->count] = (char)c;
    sheet->count++;
}

/* How a conversion is written (GNU C library): `_`, `-`, `0` for the padding, or 0; `^`, `#` for the case; a width. */
struct style {
    int padding, upper, other;
    long width;
};

static void word(struct sheet *sheet, const struct style *style, const char *text, size_t length)
{
    for (long n = style->width - (long)length; n > 0; n--)
        put(sheet, style->padding == '0' ? '0' : ' ');
    for (size_t i = 0; i < length; i++) {
        int c = text[i];
        put(sheet, style->upper && c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c);
    }
}

static void small_word(struct sheet *sheet, const struct style *style, const char *text)
{
    size_t n = strlen(text);
    char small[n + 1];
    for (size_t i = 0; i <= n; i++)
        small[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + ('a' - 'A') : text[i]);
    struct style own = *style;
    own.upper = 0;
    word(sheet, &own, small, n);
}

static void name(struct sheet *sheet, const struct style *style, const char *text, size_t length)
{
    struct style own = *style;
    own.upper |= own.other;
    word(sheet, &own, text, length);
}

static void full_name(struct sheet *sheet, const struct style *style, const char *text)
{
    name(sheet, style, text, strlen(text));
}

/* A number with at least `digits`, filled up with `padding` unless the style has another. */
static void number(struct sheet *sheet, const struct style *style, int64_t value, long digits, int padding)
{
    char text[24];
    int n = 0, negative = value < 0;
    uint64_t size = negative ? 0 - (uint64_t)value : (uint64_t)value;
    if (style->padding)
        padding = style->padding;
    if (style->width > digits)
        digits = style->width;
    /* With a width, not to be filled up is to be filled up with blanks. */
    if (padding == '-' && style->width == 0)
        digits = 0;
    digits -= negative;
    /* Zeros that fill it up are digits of it: so it does not matter how many it has by itself. */
    int zeros = padding == '0' ? digits < 20 ? (int)digits : 20 : 0;
    do
        text[n++] = (char)('0' + size % 10);
    while (size /= 10, n < zeros || size);
    if (padding == '_' || padding == '-')
        for (; digits > n; digits--)
            put(sheet, ' ');
    if (negative)
        put(sheet, '-');
    for (; digits > n; digits--)
        put(sheet, '0');
    while (n > 0)
        put(sheet, text[--n]);
}

/* Year and week of ISO 8601: the first week has the year's first Thursday. */
static int iso_week(const struct tm *t, int64_t *year)
{
    int weekday = (t->wday + 6) % 7;
    int week = (t->yday - weekday + 10) / 7;
    *year = 1900 + (int64_t)t->year;
    if (week < 1) {
        --*year;
        week = (t->yday + (is_leap(*year) ? 366 : 365) - weekday + 10) / 7;
    } else if (week == 53 && t->yday - weekday + 3 >= (is_leap(*year) ? 366 : 365)) {
        ++*year;
        week = 1;
    }
    return week;
}

static void formatted(struct sheet *sheet, const char *format, const struct tm *t);

static void composed(struct sheet *sheet, const struct style *style, const char *format, const struct tm *t)
{
    char text[256];
    struct sheet own = {text, sizeof text, 0};
    formatted(&own, format, t);
    if (own.count > sizeof text)
        __raddle_unsupported("a date of more than 256 characters");
    word(sheet, style, text, own.count);
}

static void offset(struct sheet *sheet, const struct style *style, const struct tm *t)
{
    if (t->isdst < 0)
        return;
    long minutes = (t->offset < 0 ? -t->offset : t->offset) / 60;
    /* The sign fills a field of its own, as the GNU C library has it. */
    word(sheet, style, t->offset < 0 ? "-" : "+", 1);
    number(sheet, style, minutes / 60 * 100 + minutes % 60, 4, '0');
}

/* The conversions that are numbers; 0 for another. */
static int numeric(struct sheet *sheet, const struct style *style, int conversion, const struct tm *t)
{
    int64_t year = 1900 + (int64_t)t->year, other;
    int week;
    switch (conversion) {
    case 'C': number(sheet, style, floor_of(year, 100), 1, '0'); break;
    case 'd': number(sheet, style, t->mday, 2, '0'); break;
    case 'e': number(sheet, style, t->mday, 2, '_'); break;
    case 'g': iso_week(t, &other), number(sheet, style, rest_of(other, 100), 2, '0'); break;
    case 'G': iso_week(t, &other), number(sheet, style, other, 1, '0'); break;
    case 'H': number(sheet, style, t->hour, 2, '0'); break;
    case 'I': number(sheet, style, t->hour > 12 ? t->hour - 12 : t->hour == 0 ? 12 : t->hour, 2, '0'); break;
    case 'j': number(sheet, style, t->yday + 1, 3, '0'); break;
    case 'k': number(sheet, style, t->hour, 2, '_'); break;
    case 'l': number(sheet, style, t->hour > 12 ? t->hour - 12 : t->hour == 0 ? 12 : t->hour, 2, '_'); break;
    case 'm': number(sheet, style, t->mon + 1, 2, '0'); break;
    case 'M': number(sheet, style, t->min, 2, '0'); break;
    case 'S': number(sheet, style, t->sec, 2, '0'); break;
    case 'u': number(sheet, style, rest_of(t->wday - 1, 7) + 1, 1, '0'); break;
    case 'U': number(sheet, style, (t->yday - t->wday + 7) / 7, 2, '0'); break;
    case 'V': week = iso_week(t, &other), number(sheet, style, week, 2, '0'); break;
    case 'w': number(sheet, style, t->wday, 1, '0'); break;
    case 'W': number(sheet, style, (t->yday - (t->wday + 6) % 7 + 7) / 7, 2, '0'); break;
    case 'y': number(sheet, style, rest_of(year, 100), 2, '0'); break;
    case 'Y': number(sheet, style, year, 1, '0'); break;
    case 's': {
        struct tm copy = *t;
        number(sheet, style, mktime(&copy), 1, '0');
        break;
    }
    default: return 0;
    }
    return 1;
}

static void conversion(struct sheet *sheet, const struct style *style, int c, const struct tm *t)
{
    /* In lower case, which `^` does not change. */
    struct style small = *style;
    small.upper = 0;
    if (numeric(sheet, style, c, t))
        return;
    switch (c) {
    case 'a': has_day(t) ? name(sheet, style, short_days[t->wday], 3) : name(sheet, style, "?", 1); break;
    case 'A': full_name(sheet, style, has_day(t) ? days[t->wday] : "?"); break;
    case 'b':
    case 'h': has_month(t) ? name(sheet, style, short_months[t->mon], 3) : name(sheet, style, "?", 1); break;
    case 'B': full_name(sheet, style, has_month(t) ? months[t->mon] : "?"); break;
    case 'c': composed(sheet, style, "%a %b %e %H:%M:%S %Y", t); break;
    case 'D':
    case 'x': composed(sheet, style, "%m/%d/%y", t); break;
    case 'F': composed(sheet, style, "%Y-%m-%d", t); break;
    case 'n': word(sheet, style, "\n", 1); break;
    case 'p':
        if (!style->other) {
            word(sheet, style, t->hour > 11 ? "PM" : "AM", 2);
            break;
        }
        /* fallthrough */
    case 'P': word(sheet, &small, t->hour > 11 ? "pm" : "am", 2); break;
    case 'r': composed(sheet, style, "%I:%M:%S %p", t); break;
    case 'R': composed(sheet, style, "%H:%M", t); break;
    case 't': word(sheet, style, "\t", 1); break;
    case 'T':
    case 'X': composed(sheet, style, "%H:%M:%S", t); break;
    case 'z': offset(sheet, style, t); break;
    case 'Z': {
        const char *zone = t->zone ? t->zone : "";
        if (style->other)
            small_word(sheet, style, zone);
        else
            word(sheet, style, zone, strlen(zone));
        break;
    }
    case '%': word(sheet, style, "%", 1); break;
    default: __raddle_unsupported("a conversion of strftime that is not known");
    }
}

static void formatted(struct sheet *sheet, const char *format, const struct tm *t)
{
    for (; *format; format++) {
        if (*format != '%') {
            put(sheet, *format);
            continue;
        }
        struct style style = {0, 0, 0, 0};
        for (format++;; format++) {
            if (*format == '_' || *format == '-' || *format == '0')
                style.padding = *format;
            else if (*format == '^')
                style.upper = 1;
            else if (*format == '#')
                style.other = 1;
            else
                break;
        }
        for (; __raddle_is_digit(*format); format++)
            style.width = style.width < 100000 ? style.width * 10 + (*format - '0') : style.width;
        if (*format == 'E' || *format == 'O')
            format++;
        conversion(sheet, &style, *format, t);
    }
}

size_t strftime(char *to, size_t room, const char *format, const struct tm *t)
{
    struct sheet sheet = {to, room, 0};
    formatted(&sheet, format, t);
    if (sheet.count >= room)
        return 0;
    to[sheet.count] = 0;
    return sheet.count;
}
size_t strftime_l(char *to, size_t room, const char *format, const struct tm *t, void *locale)
{
    (void)locale;
    return strftime(to, room, format, t);
}
