/* What the parts of raddle's C library share. They know no header of the system's: types are those of the System V ABI
 * for x86-64 and i386, where `long`, pointers and times have half the size; constants are those of the GNU C library. */
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Under a lock of the library's own: POSIX has the function that uses it thread-safe. */
#define GUARDED __attribute__((section("raddle.guarded")))

/* Modelled by the machine. */
extern void *memcpy(void *to, const void *from, size_t n);
extern void *memmove(void *to, const void *from, size_t n);
extern void *memset(void *at, int byte, size_t n);
extern size_t strlen(const char *s);
extern void *malloc(size_t size);
extern void free(void *at);
extern void raddle_symbolic(void *at, size_t size, const char *name);
extern void raddle_assume(int condition);

extern int *__errno_location(void);
#define errno (*__errno_location())
enum { ENOENT = 2, EBADF = 9, ENOMEM = 12, EEXIST = 17, ENOTDIR = 20, EISDIR = 21, EINVAL = 22, EAGAIN = 11, EPIPE = 32, EMFILE = 24, ENOTTY = 25, ESPIPE = 29, ERANGE = 34 };

/* A value that the environment chooses: fresh, of `size` bytes, sign-extended. It is an input of the witness by this name. */
extern int64_t __raddle_input(const char *name, size_t size);
/* As `__raddle_input`, what a clock shows, of which the library keeps what is here; `more`: another part of its last reading.
 * What nothing depends on any more is forgotten. */
extern int64_t __raddle_shown(const char *name, size_t size, const void *clock, int more);
/* Whether a number is the same on all paths like this one, as far as can be said without asking. */
extern int __raddle_is_known(int64_t value);
/* A function of a number, by this name: of `size` bytes, sign-extended, and no input. `__raddle_given` must say which value it
 * has, one for each number that comes so far. */
extern int64_t __raddle_function(const char *name, int64_t of, size_t size);
/* The environment's choices so far satisfy this; some choice always does. */
extern void __raddle_given(int condition);
/* Comes before a thread-safe function uses state that it shares with other threads: where there are others, the order of
 * these calls is explored. One byte of the state stands for it. */
extern void __raddle_enter(const void *state);
/* Makes a block of memory part of the library's guarded state. */
extern void __raddle_guard(void *block);
/* Whether a pointer leads to guarded state; it may lead to an object that a client has made. */
extern int __raddle_is_guarded(const void *at);
/* Ends the path: this is not supported yet. */
extern void __raddle_unsupported(const char *what) __attribute__((noreturn));
/* Notes that not everything is explored that the environment might do here. */
extern void __raddle_note(const char *what);
/* Standard output (1) or standard error (2); what is symbolic shows as `?`. */
extern void __raddle_write(int console, const void *from, size_t n);
extern int __raddle_print(int console, const char *format, void *arguments);
extern void _Exit(int code) __attribute__((noreturn));

/* An open file. The first three are the standard streams. */
struct __raddle_file {
    int used, console;
    struct node *node;
    size_t at;
    int reads, writes, appends, ended, failed;
    int back; /* one more than the character that was put back */
    int impatient; /* O_NONBLOCK */
    const struct __raddle_device *device;
    void *behind; /* what the device has */
    char *life; /* of a stream: a byte that is freed when it is closed */
};
enum { __RADDLE_FILES = 19 };
extern struct __raddle_file __raddle_files[__RADDLE_FILES];

/* What descriptors lead to that are no files. They get a copy of what is open: others may close it meanwhile. */
struct __raddle_device {
    long (*take)(const struct __raddle_file *file, void *to, size_t n);
    long (*put)(const struct __raddle_file *file, const void *from, size_t n);
    void (*shut)(const struct __raddle_file *file);
};

/* A text of the system's: up to three characters. */
static inline void __raddle_text(const char *name, char *to, size_t room)
{
    __raddle_note("names that the system gives are explored up to 3 characters");
    uint32_t text = (uint32_t)__raddle_input(name, 4);
    for (size_t i = 0; i < 4 && i < room; i++)
        to[i] = i < 3 ? (char)(text >> 8 * i) : 0;
}

/* Classes of characters; the bits are those of the GNU C library's <ctype.h>. */
static inline int __raddle_is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline int __raddle_is_digit(int c) { return c >= '0' && c <= '9'; }

/* Whether a character is in the set of a `[` conversion, which ends before `end` (C11 7.21.6.2p12). */
static inline int __raddle_in_set(const char *set, const char *end, unsigned char c)
{
    int negated = *set == '^', found = 0;
    for (const char *p = set + negated; p < end; p++) {
        if (p + 2 < end && p[1] == '-') {
            found |= c >= (unsigned char)p[0] && c <= (unsigned char)p[2];
            p += 2;
        } else
            found |= c == (unsigned char)*p;
    }
    return found != negated;
}

/* Where the set of a `[` conversion ends. */
static inline const char *__raddle_set_end(const char *set)
{
    set += *set == '^';
    set += *set == ']';
    while (*set && *set != ']')
        set++;
    return set;
}

/* An integer of so many bits. */
static inline void __raddle_store_integer(void *at, int bits, uint64_t value)
{
    if (bits == 64)
        *(int64_t *)at = (int64_t)value;
    else if (bits == 32)
        *(int32_t *)at = (int32_t)value;
    else if (bits == 16)
        *(int16_t *)at = (int16_t)value;
    else
        *(int8_t *)at = (int8_t)value;
}

/* A function of scanf's kind, and the one that takes a list; `...`: what comes before the format, with a comma behind it. `scan` is the part's own. */
#define __RADDLE_SCANS(name, of_list, from, ...) \
    int name(__VA_ARGS__ const char *format, ...) \
    { \
        va_list arguments; \
        va_start(arguments, format); \
        int n = scan(from, format, &arguments); \
        va_end(arguments); \
        return n; \
    } \
    int of_list(__VA_ARGS__ const char *format, va_list arguments) \
    { \
        va_list copy; \
        va_copy(copy, arguments); \
        int n = scan(from, format, &copy); \
        va_end(copy); \
        return n; \
    }
