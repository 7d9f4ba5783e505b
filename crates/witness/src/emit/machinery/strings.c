//: each
RADDLE_HOOK(void *, memcpy, (void *to, const void *from, size_t n), (to, from, n), RADDLE_BOTH, (unsigned)n)
RADDLE_HOOK(void *, memmove, (void *to, const void *from, size_t n), (to, from, n), RADDLE_BOTH, (unsigned)n)
RADDLE_HOOK(void *, memset, (void *to, int c, size_t n), (to, c, n), RADDLE_WRITE, (unsigned)n)
RADDLE_HOOK(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n), RADDLE_READ, 0)
RADDLE_HOOK(size_t, strlen, (const char *s), (s), RADDLE_READ, 0)
RADDLE_HOOK(int, strcmp, (const char *a, const char *b), (a, b), RADDLE_READ, 0)
RADDLE_HOOK(int, strncmp, (const char *a, const char *b, size_t n), (a, b, n), RADDLE_READ, 0)
RADDLE_HOOK(char *, strcpy, (char *to, const char *from), (to, from), RADDLE_BOTH, 0)
RADDLE_HOOK(char *, strncpy, (char *to, const char *from, size_t n), (to, from, n), RADDLE_BOTH, 0)
RADDLE_HOOK(char *, strchr, (const char *s, int c), (s, c), RADDLE_READ, 0)
RADDLE_HOOK(char *, strrchr, (const char *s, int c), (s, c), RADDLE_READ, 0)
RADDLE_HOOK(char *, strchrnul, (const char *s, int c), (s, c), RADDLE_READ, 0)
RADDLE_HOOK(char *, strstr, (const char *a, const char *b), (a, b), RADDLE_READ, 0)
RADDLE_HOOK(char *, strcasestr, (const char *a, const char *b), (a, b), RADDLE_READ, 0)
RADDLE_HOOK(size_t, strspn, (const char *a, const char *b), (a, b), RADDLE_READ, 0)
RADDLE_HOOK(size_t, strcspn, (const char *a, const char *b), (a, b), RADDLE_READ, 0)
RADDLE_HOOK(char *, strpbrk, (const char *a, const char *b), (a, b), RADDLE_READ, 0)
RADDLE_HOOK(int, strcasecmp, (const char *a, const char *b), (a, b), RADDLE_READ, 0)
RADDLE_HOOK(int, strncasecmp, (const char *a, const char *b, size_t n), (a, b, n), RADDLE_READ, 0)
RADDLE_HOOK(size_t, strnlen, (const char *s, size_t n), (s, n), RADDLE_READ, 0)
RADDLE_HOOK(void *, memchr, (const void *s, int c, size_t n), (s, c, n), RADDLE_READ, 0)
RADDLE_HOOK(void *, memrchr, (const void *s, int c, size_t n), (s, c, n), RADDLE_READ, 0)
RADDLE_HOOK(void *, memmem, (const void *a, size_t n, const void *b, size_t m), (a, n, b, m), RADDLE_READ, 0)
RADDLE_HOOK(char *, strndup, (const char *s, size_t n), (s, n), RADDLE_READ, 0)
RADDLE_HOOK(char *, strtok, (char *s, const char *set), (s, set), RADDLE_BOTH, 0)
RADDLE_HOOK(char *, strtok_r, (char *s, const char *set, char **rest), (s, set, rest), RADDLE_BOTH, 0)
RADDLE_HOOK(char *, strsep, (char **at, const char *set), (at, set), RADDLE_BOTH, 0)
RADDLE_HOOK(int, bcmp, (const void *a, const void *b, size_t n), (a, b, n), RADDLE_READ, 0)
RADDLE_HOOK(void, bzero, (void *at, size_t n), (at, n), RADDLE_WRITE, 0)
RADDLE_HOOK(char *, fgets, (char *to, int n, void *file), (to, n, file), RADDLE_WRITE, 0)
RADDLE_HOOK(size_t, fread, (void *to, size_t size, size_t n, void *file), (to, size, n, file), RADDLE_WRITE, 0)
RADDLE_HOOK(long, read, (int file, void *to, size_t n), (file, to, n), RADDLE_WRITE, 0)

//: part scans
/* Where its arguments are nobody here knows: they are handed on as they are. */
RADDLE_QUIET __attribute__((used)) static void raddle_scans(void *caller) { raddle_action(RADDLE_BOTH, 0, caller); }

#define RADDLE_SCANS(name) \
    RADDLE_QUIET __attribute__((naked)) int __wrap_##name() \
    { \
        __asm__("pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r8; pushq %r9; pushq %rax; movq 56(%rsp), %rdi; call raddle_scans;" \
                "popq %rax; popq %r9; popq %r8; popq %rcx; popq %rdx; popq %rsi; popq %rdi; jmp __real_" #name); \
    }
//: each needs scans
RADDLE_SCANS(scanf)
RADDLE_SCANS(__isoc99_scanf)
RADDLE_SCANS(__isoc23_scanf)
RADDLE_SCANS(fscanf)
RADDLE_SCANS(__isoc99_fscanf)
RADDLE_SCANS(__isoc23_fscanf)
RADDLE_SCANS(sscanf)
RADDLE_SCANS(__isoc99_sscanf)
RADDLE_SCANS(__isoc23_sscanf)

//: part told
/* ThreadSanitizer does not look into these. It is told what they read and write, as if the caller did. */
extern void __tsan_read1_pc(const void *at, void *pc);
extern void __tsan_write1_pc(const void *at, void *pc);

/* A string of at most `most` bytes; returns its length. */
RADDLE_QUIET static size_t raddle_reads(const char *s, size_t most, void *pc)
{
    size_t n = 0;
    for (; n < most; n++) {
        __tsan_read1_pc(s + n, pc);
        if (!((const volatile char *)s)[n])
            break;
    }
    return n;
}

RADDLE_QUIET static void raddle_writes(const char *at, size_t n, void *pc)
{
    for (size_t i = 0; i < n; i++)
        __tsan_write1_pc(at + i, pc);
}

//: wrap strcat needs told
extern char *__real_strcat(char *to, const char *from);
RADDLE_QUIET char *__wrap_strcat(char *to, const char *from)
{
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    size_t begin = raddle_reads(to, SIZE_MAX, RADDLE_CALLER), n = raddle_reads(from, SIZE_MAX, RADDLE_CALLER);
    raddle_writes(to + begin, n + 1, RADDLE_CALLER);
    __attribute__((musttail)) return __real_strcat(to, from);
}

//: wrap strncat needs told
extern char *__real_strncat(char *to, const char *from, size_t most);
RADDLE_QUIET char *__wrap_strncat(char *to, const char *from, size_t most)
{
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    size_t begin = raddle_reads(to, SIZE_MAX, RADDLE_CALLER), n = raddle_reads(from, most, RADDLE_CALLER);
    raddle_writes(to + begin, n + 1, RADDLE_CALLER);
    __attribute__((musttail)) return __real_strncat(to, from, most);
}

//: wrap stpcpy needs told
extern char *__real_stpcpy(char *to, const char *from);
RADDLE_QUIET char *__wrap_stpcpy(char *to, const char *from)
{
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    raddle_writes(to, raddle_reads(from, SIZE_MAX, RADDLE_CALLER) + 1, RADDLE_CALLER);
    __attribute__((musttail)) return __real_stpcpy(to, from);
}

//: wrap strdup needs told
extern char *__real_strdup(const char *s);
RADDLE_QUIET char *__wrap_strdup(const char *s)
{
    raddle_action(RADDLE_READ, 0, RADDLE_CALLER);
    raddle_reads(s, SIZE_MAX, RADDLE_CALLER);
    __attribute__((musttail)) return __real_strdup(s);
}

//: part numbers needs told
/* A number is read up to the first character that is none of it. For a base that there is not, nothing is, and `end` is left alone. */
#define RADDLE_NUMBER(type, name, parameters, arguments) \
    extern type __real_##name parameters; \
    RADDLE_QUIET type __wrap_##name parameters \
    { \
        char *stop = NULL; \
        raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER); \
        type number = __real_##name arguments; \
        if (stop) \
            raddle_reads(s, (size_t)(stop - s) + 1, RADDLE_CALLER); \
        if (stop && end) { \
            raddle_writes((char *)end, sizeof *end, RADDLE_CALLER); \
            *end = stop; \
        } \
        return number; \
    }
//: wrap strtol needs numbers
RADDLE_NUMBER(long, strtol, (const char *s, char **end, int base), (s, &stop, base))
//: wrap strtoul needs numbers
RADDLE_NUMBER(unsigned long, strtoul, (const char *s, char **end, int base), (s, &stop, base))
//: wrap strtoll needs numbers
RADDLE_NUMBER(long long, strtoll, (const char *s, char **end, int base), (s, &stop, base))
//: wrap strtoull needs numbers
RADDLE_NUMBER(unsigned long long, strtoull, (const char *s, char **end, int base), (s, &stop, base))
//: wrap strtod needs numbers
RADDLE_NUMBER(double, strtod, (const char *s, char **end), (s, &stop))
//: wrap strtof needs numbers
RADDLE_NUMBER(float, strtof, (const char *s, char **end), (s, &stop))

//: wrap atoi needs told
extern int __real_atoi(const char *s);
RADDLE_QUIET int __wrap_atoi(const char *s)
{
    size_t n = 0;
    raddle_action(RADDLE_READ, 0, RADDLE_CALLER);
    while (s[n] == ' ' || (s[n] >= '\t' && s[n] <= '\r'))
        n++;
    n += s[n] == '-' || s[n] == '+';
    while (s[n] >= '0' && s[n] <= '9')
        n++;
    raddle_reads(s, n + 1, RADDLE_CALLER);
    __attribute__((musttail)) return __real_atoi(s);
}
