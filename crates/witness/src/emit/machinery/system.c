//: part system needs chosen errors
/* ---- What the system says, where the witness knows it: there only, for programs like to have functions of such names. ---- */

#define RADDLE_SET_ERROR(number) (*raddle_errno() = (number))

//: each needs numbers system
RADDLE_NUMBER(isatty, int, (int number), (number), 0)
RADDLE_NUMBER(sched_getcpu, int, (void), (), 0)

//: part may-fail needs system
/* What may fail, and says so by -1, or by the error number. */
#define RADDLE_MAY_FAIL(name, parameters, arguments, failed) \
    extern int __real_##name parameters; \
    RADDLE_QUIET int __wrap_##name parameters \
    { \
        char choice; \
        raddle_action(0, 0, RADDLE_CALLER); \
        if (!raddle_chosen(&choice, 1, #name)) \
            return __real_##name arguments; \
        return choice & 1 ? (failed) : 0; \
    }
//: each needs may-fail
RADDLE_MAY_FAIL(setpriority, (int which, unsigned who, int priority), (which, who, priority), (RADDLE_SET_ERROR(RADDLE_EACCES), -1))
RADDLE_MAY_FAIL(mlockall, (int flags), (flags), (RADDLE_SET_ERROR(RADDLE_EPERM), -1))
RADDLE_MAY_FAIL(mlock, (const void *at, size_t size), (at, size), (RADDLE_SET_ERROR(RADDLE_ENOMEM), -1))
RADDLE_MAY_FAIL(sched_setaffinity, (int process, size_t size, const void *set), (process, size, set), (RADDLE_SET_ERROR(RADDLE_EINVAL), -1))
RADDLE_MAY_FAIL(pthread_setaffinity_np, (unsigned long thread, size_t size, const void *set), (thread, size, set), RADDLE_EINVAL)
RADDLE_MAY_FAIL(sched_setscheduler, (int process, int policy, const void *p), (process, policy, p), (RADDLE_SET_ERROR(RADDLE_EPERM), -1))
RADDLE_MAY_FAIL(pthread_setschedparam, (unsigned long thread, int policy, const void *p), (thread, policy, p), RADDLE_EPERM)

//: wrap getrlimit needs system
struct raddle_limits { unsigned long current, most; };
extern int __real_getrlimit(int resource, struct raddle_limits *at);
RADDLE_QUIET int __wrap_getrlimit(int resource, struct raddle_limits *at)
{
    unsigned long current, most;
    raddle_action(0, 0, RADDLE_CALLER);
    int result = __real_getrlimit(resource, at);
    if (result == 0 && raddle_chosen(&current, sizeof current, "getrlimit.rlim_cur") && raddle_chosen(&most, sizeof most, "getrlimit.rlim_max")) {
        ((volatile struct raddle_limits *)at)->current = current;
        ((volatile struct raddle_limits *)at)->most = most;
    }
    return result;
}

//: part files needs system
/* A file that the program has not written is asked for once. One that is there is made, under another name. */
static struct raddle_file { char name[64], path[32]; int there; } raddle_files[32];
static int raddle_file_count;
extern int raddle_make_file(char *pattern) __asm__("mkstemp");
extern long raddle_write_file(int file, const void *from, size_t n) __asm__("write");
extern int raddle_close_file(int file) __asm__("close");

/* The name under which it is there; NULL if it is not. What the witness does not know keeps its name. */
RADDLE_QUIET static const char *raddle_file(const char *name)
{
    char full[80], part[8];
    size_t length = 0;
    while (name[length] && length < sizeof raddle_files->name - 1)
        length++;
    for (int i = 0; i < raddle_file_count; i++)
        if (raddle_same_text(raddle_files[i].name, name))
            return raddle_files[i].there ? raddle_files[i].path : NULL;
    __tsan_ignore_thread_begin();
    snprintf(full, sizeof full, "file:%s", name);
    __tsan_ignore_thread_end();
    unsigned char bits;
    if (raddle_file_count == RADDLE_COUNT(raddle_files) || !raddle_chosen(&bits, 1, full))
        return name;
    struct raddle_file *file = &raddle_files[raddle_file_count++];
    raddle_copy(file->name, name, length);
    file->there = bits & 1;
    if (!file->there)
        return NULL;
    if (bits & 2) {
        raddle_copy(file->path, "/tmp", 4);
        return file->path;
    }
    raddle_copy(file->path, "/tmp/raddle-file-XXXXXX", 23);
    int number = raddle_make_file(file->path), left = bits >> 2;
    for (; left > 0 && raddle_chosen(part, sizeof part, full); left -= 8)
        raddle_write_file(number, part, left < 8 ? (size_t)left : sizeof part);
    raddle_close_file(number);
    return file->path;
}

/* Whether what was there before shows. */
RADDLE_QUIET static int raddle_old_file_matters(int creates, int excludes, int reads, int empties)
{
    return !creates || excludes || (reads && !empties);
}

//: wrap fopen needs files
extern void *__real_fopen(const char *name, const char *mode);
RADDLE_QUIET void *__wrap_fopen(const char *name, const char *mode)
{
    raddle_action(0, 0, RADDLE_CALLER);
    int update = 0, excludes = 0;
    for (const char *p = mode; *p; p++)
        update |= *p == '+', excludes |= *p == 'x';
    int creates = *mode != 'r';
    if (!raddle_self || !raddle_old_file_matters(creates, excludes, *mode == 'r' || update, *mode == 'w'))
        return __real_fopen(name, mode);
    const char *there = raddle_file(name);
    if (!there && !creates)
        RADDLE_SET_ERROR(RADDLE_ENOENT);
    return there || creates ? __real_fopen(there ? there : name, mode) : NULL;
}

//: wrap open needs files
extern int __real_open(const char *name, int flags, ...);
RADDLE_QUIET int __wrap_open(const char *name, int flags, unsigned mode)
{
    enum { WRITES = 1, CREATES = 0100, EXCLUDES = 0200, EMPTIES = 01000 };
    raddle_action(0, 0, RADDLE_CALLER);
    int creates = (flags & CREATES) != 0;
    if (!raddle_self || !raddle_old_file_matters(creates, flags & EXCLUDES, !(flags & WRITES), flags & EMPTIES))
        return __real_open(name, flags, mode);
    const char *there = raddle_file(name);
    if (!there && !creates)
        RADDLE_SET_ERROR(RADDLE_ENOENT);
    return there || creates ? __real_open(there ? there : name, flags, mode) : -1;
}

//: part of-file needs files
#define RADDLE_OF_FILE(name, parameters, arguments) \
    extern int __real_##name parameters; \
    RADDLE_QUIET int __wrap_##name parameters \
    { \
        raddle_action(0, 0, RADDLE_CALLER); \
        path = raddle_self ? raddle_file(path) : path; \
        if (!path) \
            RADDLE_SET_ERROR(RADDLE_ENOENT); \
        return path ? __real_##name arguments : -1; \
    }
//: each needs of-file
RADDLE_OF_FILE(access, (const char *path, int mode), (path, mode))
RADDLE_OF_FILE(stat, (const char *path, void *at), (path, at))
RADDLE_OF_FILE(lstat, (const char *path, void *at), (path, at))

//: part standard-input
/* Standard input is a pipe that has all of it. */
extern int raddle_make_pipe(int *ends) __asm__("pipe");
extern int raddle_put_at(int from, int to) __asm__("dup2");
extern long raddle_write_input(int file, const void *from, size_t n) __asm__("write");
extern int raddle_end_input(int file) __asm__("close");
__attribute__((constructor)) RADDLE_QUIET static void raddle_give_input(void)
{
    static const char text[] = RADDLE_STANDARD_INPUT;
    int ends[2];
    if (raddle_make_pipe(ends) != 0)
        return;
    raddle_write_input(ends[1], text, sizeof text - 1);
    raddle_end_input(ends[1]);
    raddle_put_at(ends[0], 0);
    raddle_end_input(ends[0]);
}
