/* Strings (C11 7.24, POSIX <string.h>, <strings.h>, and the GNU extensions).
 *
 * Written for the machine, not for speed: what is read, byte by byte and in order, is what the standard says must be read.
 *
 * Provides: memchr rawmemchr memrchr memmem memccpy mempcpy __mempcpy bcmp bcopy bzero explicit_bzero strnlen strncpy
 * strcat strncat stpcpy __stpcpy stpncpy strlcpy strlcat strchr index strrchr rindex strchrnul strspn strcspn strpbrk
 * strstr strcasestr strtok strtok_r __strtok_r strsep strcasecmp strncasecmp strcoll strxfrm strdup __strdup strndup
 * ffs ffsl ffsll basename */

typedef unsigned char byte;

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

void *memchr(const void *at, int wanted, size_t n)
{
    const byte *p = at;
    for (; n > 0; n--, p++)
        if (*p == (byte)wanted)
            return (void *)p;
    return NULL;
}

void *rawmemchr(const void *at, int wanted)
{
    const byte *p = at;
    while (*p != (byte)wanted)
        p++;
    return (void *)p;
}

void *memrchr(const void *at, int wanted, size_t n)
{
    const byte *p = at;
    while (n-- > 0)
        if (p[n] == (byte)wanted)
            return (void *)(p + n);
    return NULL;
}

void *memmem(const void *hay, size_t length, const void *needle, size_t n)
{
    const byte *h = hay, *wanted = needle;
    for (; length >= n; h++, length--) {
        size_t i = 0;
        while (i < n && h[i] == wanted[i])
            i++;
        if (i == n)
            return (void *)h;
    }
    return NULL;
}

void *memccpy(void *to, const void *from, int last, size_t n)
{
    byte *t = to;
    const byte *f = from;
    while (n-- > 0)
        if ((*t++ = *f++) == (byte)last)
            return t;
    return NULL;
}

void *mempcpy(void *to, const void *from, size_t n) { return (byte *)memcpy(to, from, n) + n; }
void *__mempcpy(void *to, const void *from, size_t n) { return (byte *)memcpy(to, from, n) + n; }

int bcmp(const void *a, const void *b, size_t n)
{
    const byte *p = a, *q = b;
    int differ = 0;
    while (n-- > 0)
        differ |= *p++ ^ *q++;
    return differ != 0;
}

void bcopy(const void *from, void *to, size_t n) { memmove(to, from, n); }
void bzero(void *at, size_t n) { memset(at, 0, n); }
void explicit_bzero(void *at, size_t n) { memset(at, 0, n); }

size_t strnlen(const char *s, size_t n)
{
    size_t length = 0;
    while (length < n && s[length])
        length++;
    return length;
}

char *strncpy(char *to, const char *from, size_t n)
{
    size_t i = 0;
    for (; i < n && from[i]; i++)
        to[i] = from[i];
    for (; i < n; i++)
        to[i] = 0;
    return to;
}

char *stpcpy(char *to, const char *from)
{
    while ((*to = *from))
        to++, from++;
    return to;
}

char *__stpcpy(char *to, const char *from)
{
    while ((*to = *from))
        to++, from++;
    return to;
}

char *stpncpy(char *to, const char *from, size_t n)
{
    size_t i = 0;
    for (; i < n && from[i]; i++)
        to[i] = from[i];
    char *end = to + i;
    for (; i < n; i++)
        to[i] = 0;
    return end;
}

char *strcat(char *to, const char *from)
{
    char *end = to;
    while (*end)
        end++;
    while ((*end = *from))
        end++, from++;
    return to;
}

char *strncat(char *to, const char *from, size_t n)
{
    char *end = to;
    while (*end)
        end++;
    while (n-- > 0 && *from)
        *end++ = *from++;
    *end = 0;
    return to;
}

size_t strlcpy(char *to, const char *from, size_t n)
{
    size_t i = 0;
    for (; from[i]; i++)
        if (i + 1 < n)
            to[i] = from[i];
    if (n > 0)
        to[i < n ? i : n - 1] = 0;
    return i;
}

size_t strlcat(char *to, const char *from, size_t n)
{
    size_t begin = 0, i = 0;
    while (begin < n && to[begin])
        begin++;
    for (; from[i]; i++)
        if (begin + i + 1 < n)
            to[begin + i] = from[i];
    if (begin < n)
        to[begin + i < n ? begin + i : n - 1] = 0;
    return begin + i;
}

char *strchrnul(const char *s, int wanted)
{
    while (*s && *s != (char)wanted)
        s++;
    return (char *)s;
}

char *strchr(const char *s, int wanted)
{
    while (*s != (char)wanted)
        if (!*s++)
            return NULL;
    return (char *)s;
}

char *index(const char *s, int wanted)
{
    while (*s != (char)wanted)
        if (!*s++)
            return NULL;
    return (char *)s;
}

static char *last(const char *s, int wanted)
{
    const char *found = NULL;
    do
        if (*s == (char)wanted)
            found = s;
    while (*s++);
    return (char *)found;
}

char *strrchr(const char *s, int wanted) { return last(s, wanted); }
char *rindex(const char *s, int wanted) { return last(s, wanted); }

static int among(char c, const char *set)
{
    for (; *set; set++)
        if (*set == c)
            return 1;
    return 0;
}

static size_t span(const char *s, const char *set, int inside)
{
    size_t n = 0;
    while (s[n] && among(s[n], set) == inside)
        n++;
    return n;
}

size_t strspn(const char *s, const char *set) { return span(s, set, 1); }
size_t strcspn(const char *s, const char *set) { return span(s, set, 0); }

char *strpbrk(const char *s, const char *set)
{
    s += span(s, set, 0);
    return *s ? (char *)s : NULL;
}

char *strstr(const char *hay, const char *needle)
{
    for (;; hay++) {
        size_t i = 0;
        while (needle[i] && hay[i] == needle[i])
            i++;
        if (!needle[i])
            return (char *)hay;
        if (!*hay)
            return NULL;
    }
}

char *strcasestr(const char *hay, const char *needle)
{
    for (;; hay++) {
        size_t i = 0;
        while (needle[i] && lower((byte)hay[i]) == lower((byte)needle[i]))
            i++;
        if (!needle[i])
            return (char *)hay;
        if (!*hay)
            return NULL;
    }
}

static char *token(char *s, const char *set, char **rest)
{
    if (!s)
        s = *rest;
    if (!s)
        return NULL;
    s += span(s, set, 1);
    if (!*s) {
        *rest = s;
        return NULL;
    }
    char *end = s + span(s, set, 0);
    if (*end)
        *end++ = 0;
    *rest = end;
    return s;
}

char *strtok_r(char *s, const char *set, char **rest) { return token(s, set, rest); }
char *__strtok_r(char *s, const char *set, char **rest) { return token(s, set, rest); }

/* Between calls, and between threads: strtok is not thread-safe. */
char *__raddle_strtok_rest;
char *strtok(char *s, const char *set) { return token(s, set, &__raddle_strtok_rest); }

char *strsep(char **at, const char *set)
{
    char *begin = *at;
    if (!begin)
        return NULL;
    char *end = begin + span(begin, set, 0);
    *at = *end ? end + 1 : NULL;
    *end = 0;
    return begin;
}

int strcasecmp(const char *a, const char *b)
{
    for (;; a++, b++) {
        int difference = lower((byte)*a) - lower((byte)*b);
        if (difference || !*a)
            return difference;
    }
}

int strncasecmp(const char *a, const char *b, size_t n)
{
    for (; n > 0; n--, a++, b++) {
        int difference = lower((byte)*a) - lower((byte)*b);
        if (difference || !*a)
            return difference;
    }
    return 0;
}

/* In the "C" locale, in which every program begins. */
int strcoll(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (byte)*a - (byte)*b;
}

size_t strxfrm(char *to, const char *from, size_t n)
{
    size_t length = strlen(from);
    if (length < n)
        memcpy(to, from, length + 1);
    return length;
}

static char *copy(const char *s, size_t length)
{
    char *block = malloc(length + 1);
    if (!block)
        return NULL;
    memcpy(block, s, length);
    block[length] = 0;
    return block;
}

char *strdup(const char *s) { return copy(s, strlen(s)); }
char *__strdup(const char *s) { return copy(s, strlen(s)); }

char *strndup(const char *s, size_t n)
{
    size_t length = 0;
    while (length < n && s[length])
        length++;
    return copy(s, length);
}

int ffsll(long long value)
{
    for (int i = 0; i < 64; i++)
        if (value >> i & 1)
            return i + 1;
    return 0;
}

int ffsl(long value) { return ffsll(value); }
int ffs(int value) { return ffsll((unsigned)value); }

char *basename(const char *path)
{
    const char *base = path;
    for (; *path; path++)
        if (*path == '/')
            base = path + 1;
    return (char *)base;
}
