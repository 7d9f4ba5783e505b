/* Texts that the system has ready: messages in the language of the "C" locale (<libintl.h>), parts of paths (POSIX <libgen.h>), the
 * C library's version.
 *
 * Provides: gettext dgettext dcgettext ngettext dngettext dcngettext __xpg_basename dirname gnu_get_libc_version
 * gnu_get_libc_release */

static char *translated(const char *text)
{
    __raddle_note("messages are not translated");
    return (char *)text;
}

char *gettext(const char *text) { return translated(text); }

char *dgettext(const char *domain, const char *text)
{
    (void)domain;
    return translated(text);
}

char *dcgettext(const char *domain, const char *text, int category)
{
    (void)domain, (void)category;
    return translated(text);
}

char *ngettext(const char *one, const char *many, unsigned long n) { return translated(n == 1 ? one : many); }

char *dngettext(const char *domain, const char *one, const char *many, unsigned long n)
{
    (void)domain;
    return translated(n == 1 ? one : many);
}

char *dcngettext(const char *domain, const char *one, const char *many, unsigned long n, int category)
{
    (void)domain, (void)category;
    return translated(n == 1 ? one : many);
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
