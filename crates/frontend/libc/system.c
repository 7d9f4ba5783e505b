/* What the system says about itself, the process and its threads, and what it is told (POSIX <sys/resource.h>, <sys/utsname.h>,
 * <sched.h>, <syslog.h>, Linux's prctl and affinity).
 *
 * Answers are any that Linux may give. What was set is remembered where the program may ask for it again; what needs
 * permission may fail.
 *
 * Provides: getrlimit getrlimit64 setrlimit setrlimit64 prlimit prlimit64 getrusage times uname gethostname getpriority setpriority
 * nice prctl pthread_setname_np pthread_getname_np sched_get_priority_max sched_get_priority_min sched_getscheduler
 * sched_setscheduler sched_getparam sched_setparam sched_rr_get_interval pthread_setschedparam pthread_getschedparam
 * pthread_setschedprio sched_getaffinity sched_setaffinity pthread_getaffinity_np pthread_setaffinity_np sched_getcpu
 * __sched_cpucount __sched_cpualloc __sched_cpufree openlog closelog setlogmask
 * syslog vsyslog __syslog_chk __vsyslog_chk getpgrp setsid umask pthread_setconcurrency pthread_getconcurrency mlockall munlockall
 * mlock munlock */

enum { EPERM = 1, ESRCH = 3, EACCES = 13, ENAMETOOLONG = 36 };

/* Whether something fails that may: 0, or -1 with an error number. */
static int may_fail(const char *name, int error)
{
    int fails = (int)__raddle_input(name, 1) & 1;
    if (fails)
        errno = error;
    return -fails;
}

static int64_t between(const char *name, size_t size, int64_t low, int64_t high)
{
    int64_t value = __raddle_input(name, size);
    __raddle_given((value >= low) & (value <= high));
    return value;
}

/* Limits. Those of 64 bits are kept, as the system does. */
enum { RESOURCES = 16 };
struct limits { uint64_t current, most; };
struct limits_of_long { unsigned long current, most; };
GUARDED struct known_limits { int known; struct limits limits; } __raddle_limits[RESOURCES];

static int resource_limits(int resource, const struct limits *wanted, struct limits *old)
{
    if (resource < 0 || resource >= RESOURCES || (wanted && wanted->current > wanted->most)) {
        errno = EINVAL;
        return -1;
    }
    __raddle_enter(__raddle_limits);
    struct known_limits *known = &__raddle_limits[resource];
    if (!known->known) {
        known->known = 1;
        known->limits.current = (uint64_t)__raddle_input("getrlimit.rlim_cur", 8);
        known->limits.most = (uint64_t)__raddle_input("getrlimit.rlim_max", 8);
        __raddle_given(known->limits.current <= known->limits.most);
    }
    if (old)
        *old = known->limits;
    if (wanted) {
        /* To raise the upper limit is a privilege. */
        if (wanted->most > known->limits.most && may_fail("setrlimit", EPERM))
            return -1;
        known->limits = *wanted;
    }
    return 0;
}

int getrlimit64(int resource, struct limits *at) { return resource_limits(resource, NULL, at); }
int setrlimit64(int resource, const struct limits *limits) { return resource_limits(resource, limits, NULL); }
int prlimit64(int process, int resource, const struct limits *wanted, struct limits *old)
{
    (void)process;
    return resource_limits(resource, wanted, old);
}

/* Without a branch: whether there is a limit is no question that paths should part at. */
static unsigned long narrow(uint64_t limit) { return (unsigned long)(limit | -(uint64_t)(limit > ULONG_MAX)); }
static uint64_t wide(unsigned long limit) { return limit | -(uint64_t)(limit == ULONG_MAX); }

int prlimit(int process, int resource, const struct limits_of_long *wanted, struct limits_of_long *old)
{
    struct limits given, before;
    (void)process;
    if (wanted)
        given = (struct limits){wide(wanted->current), wide(wanted->most)};
    if (resource_limits(resource, wanted ? &given : NULL, &before) < 0)
        return -1;
    if (old)
        *old = (struct limits_of_long){narrow(before.current), narrow(before.most)};
    return 0;
}
int getrlimit(int resource, struct limits_of_long *at) { return prlimit(0, resource, NULL, at); }
int setrlimit(int resource, const struct limits_of_long *limits) { return prlimit(0, resource, limits, NULL); }

/* Two times and fourteen counts. */
enum { FIRST_COUNT = 4, USAGES = 18 };
int getrusage(int who, long *at)
{
    if (who < -1 || who > 1) {
        errno = EINVAL;
        return -1;
    }
    for (int i = 0; i < USAGES; i++)
        at[i] = (long)between("getrusage", sizeof(long), 0, i < FIRST_COUNT && i % 2 ? 999999 : LONG_MAX / 1000);
    return 0;
}

GUARDED int64_t __raddle_times;
long times(long *at)
{
    __raddle_enter(&__raddle_times);
    long now = (long)__raddle_shown("times", sizeof(long), &__raddle_times, 0);
    __raddle_given((now >= __raddle_times) & (now <= LONG_MAX / 1000));
    __raddle_times = now;
    if (at)
        for (int i = 0; i < 4; i++)
            at[i] = (long)between("times.tms", sizeof(long), 0, LONG_MAX / 1000);
    return now;
}

enum { FIELD = 65 };
static void put(char *to, const char *text)
{
    memset(to, 0, FIELD);
    memcpy(to, text, strlen(text) + 1);
}

int uname(char *at)
{
    put(at, "Linux");
    for (int i = 1; i < 4; i++) {
        memset(at + i * FIELD, 0, FIELD);
        __raddle_text("uname", at + i * FIELD, FIELD);
    }
    put(at + 4 * FIELD, "x86_64");
    put(at + 5 * FIELD, "(none)");
    return 0;
}

int gethostname(char *to, size_t room)
{
    char text[4];
    __raddle_text("gethostname", text, sizeof text);
    size_t n = strlen(text) + 1;
    memcpy(to, text, n < room ? n : room);
    if (n > room)
        errno = ENAMETOOLONG;
    return n > room ? -1 : 0;
}

int getpriority(int which, unsigned who)
{
    (void)who;
    if (which < 0 || which > 2) {
        errno = EINVAL;
        return -1;
    }
    return (int)between("getpriority", 4, -20, 19);
}
int setpriority(int which, unsigned who, int priority) { return (void)which, (void)who, (void)priority, may_fail("setpriority", EACCES); }
int nice(int more)
{
    (void)more;
    if (may_fail("nice", EPERM))
        return -1;
    return (int)between("nice.priority", 4, -20, 19);
}

int getpgrp(void) { return (int)between("getpgrp", 4, 1, 4194304); }
int setsid(void)
{
    if (may_fail("setsid", EPERM))
        return -1;
    return (int)between("setsid.session", 4, 1, 4194304);
}

GUARDED int __raddle_umask = -1;
unsigned umask(unsigned mask)
{
    __raddle_enter(&__raddle_umask);
    if (__raddle_umask < 0)
        __raddle_umask = (int)between("umask", 4, 0, 0777);
    int before = __raddle_umask;
    __raddle_umask = (int)(mask & 0777);
    return (unsigned)before;
}

int mlockall(int flags) { return (void)flags, may_fail("mlockall", EPERM); }
int munlockall(void) { return 0; }
int mlock(const void *at, size_t size) { return (void)at, (void)size, may_fail("mlock", ENOMEM); }
int munlock(const void *at, size_t size) { return (void)at, (void)size, 0; }

/* Names of threads. A thread that names itself tells nobody; that of a thread which another has named is not kept. */
enum { LONGEST = 16 };
_Thread_local int __raddle_has_name;
_Thread_local char __raddle_thread_name[LONGEST];
GUARDED int __raddle_names_others;
extern unsigned long pthread_self(void);

static void set_name(unsigned long thread, const char *name, size_t length)
{
    if (thread != pthread_self()) {
        __raddle_enter(&__raddle_names_others);
        __raddle_names_others = 1;
        return;
    }
    memset(__raddle_thread_name, 0, LONGEST);
    memcpy(__raddle_thread_name, name, length);
    __raddle_has_name = 1;
}

static void get_name(unsigned long thread, char *to)
{
    memset(to, 0, LONGEST);
    if (thread == pthread_self() && __raddle_has_name) {
        __raddle_enter(&__raddle_names_others);
        if (!__raddle_names_others) {
            memcpy(to, __raddle_thread_name, LONGEST);
            return;
        }
    }
    __raddle_text("pthread_getname_np", to, LONGEST);
}

int pthread_setname_np(unsigned long thread, const char *name)
{
    size_t length = strlen(name);
    if (length >= LONGEST)
        return ERANGE;
    set_name(thread, name, length);
    return 0;
}

int pthread_getname_np(unsigned long thread, char *to, size_t room)
{
    char name[LONGEST];
    if (room < LONGEST)
        return ERANGE;
    get_name(thread, name);
    memcpy(to, name, strlen(name) + 1);
    return 0;
}

int prctl(int option, ...)
{
    enum { SET_PDEATHSIG = 1, GET_PDEATHSIG, GET_DUMPABLE, SET_DUMPABLE, GET_KEEPCAPS = 7, SET_KEEPCAPS, SET_NAME = 15, GET_NAME,
           SET_SECCOMP = 22, CAPBSET_READ, CAPBSET_DROP, SET_TIMERSLACK = 29, GET_TIMERSLACK, SET_CHILD_SUBREAPER = 36,
           SET_NO_NEW_PRIVS = 38, GET_NO_NEW_PRIVS, SET_THP_DISABLE = 41, SET_PTRACER = 0x59616d61, SET_VMA = 0x53564d41 };
    va_list arguments;
    va_start(arguments, option);
    unsigned long value = va_arg(arguments, unsigned long);
    va_end(arguments);
    switch (option) {
    case SET_NAME: {
        const char *name = (const char *)value;
        size_t length = 0;
        while (length < LONGEST - 1 && name[length])
            length++;
        set_name(pthread_self(), name, length);
        return 0;
    }
    case GET_NAME: {
        char name[LONGEST];
        get_name(pthread_self(), name);
        memcpy((char *)value, name, LONGEST);
        return 0;
    }
    case GET_PDEATHSIG: *(int *)value = (int)between("prctl.signal", 4, 0, 64); return 0;
    case GET_DUMPABLE: return (int)between("prctl", 4, 0, 2);
    case GET_KEEPCAPS:
    case CAPBSET_READ:
    case GET_NO_NEW_PRIVS: return (int)between("prctl", 4, 0, 1);
    case GET_TIMERSLACK: return (int)between("prctl", 4, 0, INT32_MAX);
    case SET_PDEATHSIG:
    case SET_DUMPABLE:
    case SET_KEEPCAPS:
    case CAPBSET_DROP:
    case SET_TIMERSLACK:
    case SET_CHILD_SUBREAPER:
    case SET_NO_NEW_PRIVS:
    case SET_SECCOMP:
    case SET_THP_DISABLE:
    case SET_PTRACER:
    case SET_VMA: return may_fail("prctl", EINVAL);
    default: __raddle_unsupported("this option of prctl");
    }
}

/* Scheduling: how threads are chosen is no part of any schedule, for all are explored. */
enum { SCHED_FIFO = 1, SCHED_RR = 2, POLICIES = 7, NO_POLICY = 4 };
static int is_policy(int policy) { return policy >= 0 && policy < POLICIES && policy != NO_POLICY; }
static int is_urgent(int policy) { return policy == SCHED_FIFO || policy == SCHED_RR; }
static int fits(int policy, int priority)
{
    return is_urgent(policy) ? (priority >= 1) & (priority <= 99) : priority == 0;
}

static int priority_of(int policy, int urgent)
{
    if (is_policy(policy))
        return is_urgent(policy) ? urgent : 0;
    errno = EINVAL;
    return -1;
}
int sched_get_priority_max(int policy) { return priority_of(policy, 99); }
int sched_get_priority_min(int policy) { return priority_of(policy, 1); }

static int some_policy(void) { return (int)between("scheduling.policy", 4, 0, 3); }
static int some_priority(int policy)
{
    int priority = (int)between("scheduling.priority", 4, 0, 99);
    __raddle_given(is_urgent(policy) ? priority > 0 : priority == 0);
    return priority;
}

/* The error number. */
static int scheduled(const char *name, int policy, const int *priority)
{
    int wanted = *priority;
    if (!is_policy(policy) || !fits(policy, wanted))
        return EINVAL;
    return (__raddle_input(name, 1) & 1) != 0 && is_urgent(policy) ? EPERM : 0;
}

static int with_errno(int error)
{
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int sched_getscheduler(int process) { return (void)process, some_policy(); }
int sched_setscheduler(int process, int policy, const int *priority)
{
    (void)process;
    return with_errno(scheduled("sched_setscheduler", policy & ~0x40000000, priority));
}
int sched_getparam(int process, int *priority) { return (void)process, *priority = some_priority(some_policy()), 0; }
int sched_setparam(int process, const int *priority)
{
    (void)process;
    int wanted = *priority;
    return wanted < 0 || wanted > 99 ? with_errno(EINVAL) : may_fail("sched_setparam", EPERM);
}
struct interval { long seconds, part; };
int sched_rr_get_interval(int process, struct interval *at)
{
    (void)process;
    *at = (struct interval){0, (long)between("sched_rr_get_interval", sizeof(long), 0, 999999999)};
    return 0;
}
int pthread_setschedparam(unsigned long thread, int policy, const int *priority)
{
    (void)thread;
    return scheduled("pthread_setschedparam", policy, priority);
}
int pthread_getschedparam(unsigned long thread, int *policy, int *priority)
{
    (void)thread;
    int now = some_policy();
    *policy = now;
    *priority = some_priority(now);
    return 0;
}
int pthread_setschedprio(unsigned long thread, int priority)
{
    (void)thread;
    return priority < 0 || priority > 99 ? EINVAL : (__raddle_input("pthread_setschedprio", 1) & 1) ? EPERM : 0;
}

GUARDED int __raddle_concurrency;
int pthread_setconcurrency(int level)
{
    if (level < 0)
        return EINVAL;
    __raddle_enter(&__raddle_concurrency);
    return __raddle_concurrency = level, 0;
}
int pthread_getconcurrency(void) { return __raddle_enter(&__raddle_concurrency), __raddle_concurrency; }

/* Affinity: sets of processors, of any size. */
static void some_processors(size_t size, char *set)
{
    memset(set, 0, size);
    uint64_t bits = (uint64_t)__raddle_input("affinity", 8);
    __raddle_given(bits != 0);
    memcpy(set, &bits, 8);
}
int sched_getaffinity(int process, size_t size, char *set)
{
    (void)process;
    if (size < 8) {
        errno = EINVAL;
        return -1;
    }
    return some_processors(size, set), 0;
}
int pthread_getaffinity_np(unsigned long thread, size_t size, char *set)
{
    (void)thread;
    if (size < 8)
        return EINVAL;
    return some_processors(size, set), 0;
}

/* Reads the set; the processors may not be there. */
static int bound(const char *name, size_t size, const char *set)
{
    int any = 0;
    for (size_t i = 0; i < size; i++)
        any |= set[i];
    int there = (__raddle_input(name, 1) & 1) == 0;
    return (any != 0) & there ? 0 : EINVAL;
}
int sched_setaffinity(int process, size_t size, const char *set)
{
    (void)process;
    return with_errno(bound("sched_setaffinity", size, set));
}
int pthread_setaffinity_np(unsigned long thread, size_t size, const char *set)
{
    (void)thread;
    return bound("pthread_setaffinity_np", size, set);
}
int sched_getcpu(void) { return (int)between("sched_getcpu", 4, 0, 8191); }

int __sched_cpucount(size_t size, const unsigned char *set)
{
    int count = 0;
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++)
            count += set[i] >> bit & 1;
    return count;
}
void *__sched_cpualloc(size_t count) { return malloc((count + 63) / 64 * 8); }
void __sched_cpufree(void *set) { free(set); }

/* What is logged is read, and goes nowhere that is looked at. */
GUARDED int __raddle_log_mask = 0xff;
void openlog(const char *name, int options, int facility) { (void)name, (void)options, (void)facility; }
void closelog(void) {}
int setlogmask(int mask)
{
    __raddle_enter(&__raddle_log_mask);
    int before = __raddle_log_mask;
    if (mask)
        __raddle_log_mask = mask;
    return before;
}
void vsyslog(int priority, const char *format, va_list arguments)
{
    va_list copy;
    (void)priority;
    va_copy(copy, arguments);
    __raddle_print(2, format, &copy);
    va_end(copy);
}
void __vsyslog_chk(int priority, int flag, const char *format, va_list arguments)
{
    (void)flag;
    vsyslog(priority, format, arguments);
}
void syslog(int priority, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsyslog(priority, format, arguments);
    va_end(arguments);
}
void __syslog_chk(int priority, int flag, const char *format, ...)
{
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    vsyslog(priority, format, arguments);
    va_end(arguments);
}
