/* Error numbers (C11 7.5): one for each thread.
 *
 * Provides: __errno_location strerror __xpg_strerror_r strerror_r perror */

_Thread_local int __raddle_errno;
int *__errno_location(void) { return &__raddle_errno; }

static const char *const texts[] = {
    "Success", "Operation not permitted", "No such file or directory", "No such process", "Interrupted system call",
    "Input/output error", "No such device or address", "Argument list too long", "Exec format error",
    "Bad file descriptor", "No child processes", "Resource temporarily unavailable", "Cannot allocate memory",
    "Permission denied", "Bad address", "Block device required", "Device or resource busy", "File exists",
    "Invalid cross-device link", "No such device", "Not a directory", "Is a directory", "Invalid argument",
    "Too many open files in system", "Too many open files", "Inappropriate ioctl for device", "Text file busy",
    "File too large", "No space left on device", "Illegal seek", "Read-only file system", "Too many links",
    "Broken pipe", "Numerical argument out of domain", "Numerical result out of range", "Resource deadlock avoided",
    "File name too long", "No locks available", "Function not implemented", "Directory not empty",
};
enum { COUNT = sizeof texts / sizeof *texts };

/* The text for a number that has none is the thread's own, as in the GNU C library from 2.32. */
_Thread_local char __raddle_unknown_error[32];

char *strerror(int error)
{
    if (error >= 0 && error < COUNT)
        return (char *)texts[error];
    static const char begin[] = "Unknown error ";
    char *unknown = __raddle_unknown_error;
    char digits[12];
    int n = 0;
    size_t at = sizeof begin - 1;
    memcpy(unknown, begin, at);
    unsigned value = error < 0 ? 0u - (unsigned)error : (unsigned)error;
    if (error < 0)
        unknown[at++] = '-';
    do
        digits[n++] = '0' + value % 10;
    while (value /= 10);
    while (n > 0)
        unknown[at++] = digits[--n];
    unknown[at] = 0;
    return unknown;
}

/* GNU's: the result need not be the buffer. */
char *strerror_r(int error, char *buffer, size_t size)
{
    if (error >= 0 && error < COUNT)
        return (char *)texts[error];
    char *text = strerror(error);
    size_t length = strlen(text);
    if (size == 0)
        return buffer;
    length = length < size ? length : size - 1;
    memcpy(buffer, text, length);
    buffer[length] = 0;
    return buffer;
}

/* POSIX's. */
int __xpg_strerror_r(int error, char *buffer, size_t size)
{
    const char *text = strerror(error);
    size_t length = strlen(text);
    if (size > 0) {
        size_t shown = length < size ? length : size - 1;
        memcpy(buffer, text, shown);
        buffer[shown] = 0;
    }
    return length >= size ? ERANGE : error < 0 || error >= COUNT ? EINVAL : 0;
}

void perror(const char *what)
{
    const char *text = strerror(errno);
    if (what && *what) {
        __raddle_write(2, what, strlen(what));
        __raddle_write(2, ": ", 2);
    }
    __raddle_write(2, text, strlen(text));
    __raddle_write(2, "\n", 1);
}
