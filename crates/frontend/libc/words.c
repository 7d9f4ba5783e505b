/* Texts that the system has ready: messages in the language of the "C" locale (<libintl.h>), parts of paths (POSIX <libgen.h>), the
 * "C" locale's own (C11 7.11, POSIX <langinfo.h>), the C library's version.
 *
 * Provides: localeconv nl_langinfo gettext dgettext dcgettext ngettext dngettext dcngettext __xpg_basename dirname gnu_get_libc_version
 * gnu_get_libc_release */

/* A program begins in the "C" locale, in which messages are what they are. Only `setlocale` changes that, which is not modelled. */
char *gettext(const char *text) { return (char *)text; }

char *dgettext(const char *domain, const char *text)
{
    (void)domain;
    return gettext(text);
}

char *dcgettext(const char *domain, const char *text, int category)
{
    (void)category;
    return dgettext(domain, text);
}

char *ngettext(const char *one, const char *many, unsigned long n) { return gettext(n == 1 ? one : many); }

char *dngettext(const char *domain, const char *one, const char *many, unsigned long n)
{
    (void)domain;
    return ngettext(one, many, n);
}

char *dcngettext(const char *domain, const char *one, const char *many, unsigned long n, int category)
{
    (void)category;
    return dngettext(domain, one, many, n);
}

static const char dot[] = ".";

/* Where the text behind the last slash begins. */
static char *behind_slash(char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return path + length;
}

char *__xpg_basename(char *path)
{
    size_t length = path ? strlen(path) : 0;
    if (length == 0)
        return (char *)dot;
    if (path[length - 1] == '/') {
        while (length > 1 && path[length - 1] == '/')
            length--;
        if (length == 1 && path[0] == '/')
            return path + strlen(path) - 1;
        path[length] = '\0';
    }
    return behind_slash(path, length);
}

char *dirname(char *path)
{
    size_t length = path ? strlen(path) : 0;
    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length == 0)
        return (char *)dot;
    while (length > 1 && path[length - 1] == '/')
        length--;
    /* Two slashes in front may mean something of their own; the GNU C library leaves just these. */
    if (length == 1 && path[0] == '/' && path[1] == '/' && path[2] != '/')
        length++;
    path[length] = '\0';
    return path;
}

const char *gnu_get_libc_version(void)
{
    __raddle_note("the C library is taken to be version 2.39");
    return "2.39";
}

const char *gnu_get_libc_release(void) { return "stable"; }

/* C11 7.11.2.1. */
struct conventions {
    const char *texts[10];
    char numbers[14];
};

const struct conventions *localeconv(void)
{
    static const struct conventions c = {
        { ".", "", "", "", "", "", "", "", "", "" },
        { CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX, CHAR_MAX,
          CHAR_MAX, CHAR_MAX },
    };
    return &c;
}

/* Items are numbered within their categories, as the GNU C library does it. */
enum { CTYPE = 0, NUMERIC = 1, TIME = 2, MONETARY = 4, MESSAGES = 5, CODESET = 14, CURRENCY = 15 };

const char *nl_langinfo(int item)
{
    static const char *const times[] = {
        "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat",
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
        "AM", "PM", "%a %b %e %H:%M:%S %Y", "%m/%d/%y", "%H:%M:%S", "%I:%M:%S %p",
    };
    unsigned number = (unsigned)item & 0xffff;
    switch (item >> 16) {
    case CTYPE:
        return number == CODESET ? "ANSI_X3.4-1968" : "";
    case NUMERIC:
        return number == 0 ? "." : "";
    case TIME:
        return number < sizeof times / sizeof *times ? times[number] : "";
    case MONETARY:
        return number == CURRENCY ? "-" : "";
    case MESSAGES:
        return number == 0 ? "^[yY]" : number == 1 ? "^[nN]" : "";
    default:
        return "";
    }
}
