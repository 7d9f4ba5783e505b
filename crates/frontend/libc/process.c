/* The process and its surroundings (C11 7.22.4, POSIX <unistd.h>).
 *
 * Provides: atexit getenv secure_getenv setenv unsetenv getpid getppid getuid geteuid getgid getegid sysconf __sysconf getpagesize
 * get_nprocs get_nprocs_conf getopt optarg optind opterr optopt setlocale */

/* Handlers of the process's normal end, last in, first out. */
enum { HANDLERS = 32 };
GUARDED void (*__raddle_handlers[HANDLERS])(void);
GUARDED int __raddle_handler_count;

/* Comes into a program with atexit. The machine calls it where `main` returns, too. */
__attribute__((noreturn)) void exit(int code)
{
    __raddle_enter(&__raddle_handler_count);
    while (__raddle_handler_count > 0)
        __raddle_handlers[--__raddle_handler_count]();
    _Exit(code);
}

int atexit(void (*handler)(void))
{
    __raddle_enter(&__raddle_handler_count);
    /* Never: this brings exit along. */
    if (__raddle_handler_count < 0)
        exit(1);
    if (__raddle_handler_count == HANDLERS)
        return -1;
    __raddle_handlers[__raddle_handler_count++] = handler;
    return 0;
}

/* The environment. Reading it is thread-safe unless somebody changes it (GNU C library: `env`, `const:env`), so that
 * the two race. */
enum { VARIABLES = 16, NAME = 32, LONGEST = 3 };
struct variable {
    char name[NAME];
    char *value;
};
struct variable __raddle_environment[VARIABLES];
int __raddle_environment_changes;

static size_t length_of(const char *name)
{
    size_t n = 0;
    while (name[n] && name[n] != '=')
        n++;
    return n;
}

static int same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* What the program has set, or was told before: unknown variables are asked for once. */
GUARDED struct variable __raddle_asked[VARIABLES];
GUARDED int __raddle_asked_count;

/* Not set, or any short text. */
static char *from_outside(const char *name)
{
    __raddle_enter(&__raddle_asked_count);
    for (int i = 0; i < __raddle_asked_count; i++)
        if (same(__raddle_asked[i].name, name))
            return __raddle_asked[i].value;
    __raddle_note("values of environment variables longer than 3 characters are not explored");
    size_t length = strlen(name);
    static const char prefix[] = "getenv:";
    char input[NAME + sizeof prefix];
    if (length >= NAME || __raddle_asked_count == VARIABLES)
        return NULL;
    memcpy(input, prefix, sizeof prefix - 1);
    memcpy(input + sizeof prefix - 1, name, length + 1);
    struct variable *variable = &__raddle_asked[__raddle_asked_count++];
    memcpy(variable->name, name, length + 1);
    variable->value = NULL;
    /* The lowest byte says whether it is set, the others are the text. */
    uint64_t bits = (uint64_t)__raddle_input(input, 4);
    if (bits & 1) {
        char *value = malloc(LONGEST + 1);
        for (int i = 0; i < LONGEST; i++)
            value[i] = (char)(bits >> 8 * (i + 1));
        value[LONGEST] = 0;
        __raddle_guard(value);
        variable->value = value;
    }
    return variable->value;
}

char *getenv(const char *name)
{
    if (__raddle_environment_changes)
        for (int i = 0; i < VARIABLES; i++)
            if (__raddle_environment[i].name[0] && same(__raddle_environment[i].name, name))
                return __raddle_environment[i].value;
    return from_outside(name);
}
char *secure_getenv(const char *name) { return getenv(name); }

static struct variable *slot_of(const char *name)
{
    struct variable *free_one = NULL;
    for (int i = 0; i < VARIABLES; i++) {
        struct variable *variable = &__raddle_environment[i];
        if (variable->name[0] && same(variable->name, name))
            return variable;
        if (!variable->name[0] && !free_one)
            free_one = variable;
    }
    if (free_one)
        memcpy(free_one->name, name, strlen(name) + 1);
    return free_one;
}

static int change(const char *name, const char *value, int overwrite)
{
    size_t length = length_of(name);
    if (length == 0 || name[length]) {
        errno = EINVAL;
        return -1;
    }
    if (!overwrite && getenv(name))
        return 0;
    __raddle_environment_changes = 1;
    struct variable *variable = length < NAME ? slot_of(name) : NULL;
    if (!variable) {
        errno = ENOMEM;
        return -1;
    }
    variable->value = NULL;
    if (value) {
        size_t size = strlen(value) + 1;
        variable->value = malloc(size);
        memcpy(variable->value, value, size);
    }
    return 0;
}

int setenv(const char *name, const char *value, int overwrite) { return change(name, value, overwrite); }
int unsetenv(const char *name) { return change(name, NULL, 1); }

/* Numbers that the environment gives once. */
GUARDED int64_t __raddle_numbers[8]; /* one more than the number; 0: not asked for yet */
static int once(int which, const char *name, int low, int high)
{
    __raddle_enter(&__raddle_numbers[which]);
    if (!__raddle_numbers[which]) {
        int value = (int)__raddle_input(name, 4);
        __raddle_given((value >= low) & (value <= high));
        __raddle_numbers[which] = (int64_t)value + 1;
    }
    return (int)(__raddle_numbers[which] - 1);
}

int getpid(void) { return once(0, "getpid", 2, 4194304); }
int getppid(void) { return once(1, "getppid", 1, 4194304); }
int get_nprocs(void) { return once(2, "processors", 1, 8192); }
int get_nprocs_conf(void) { return once(2, "processors", 1, 8192); }
unsigned getuid(void) { return (unsigned)once(3, "getuid", 0, INT32_MAX); }
unsigned geteuid(void) { return (unsigned)once(3, "getuid", 0, INT32_MAX); }
unsigned getgid(void) { return (unsigned)once(4, "getgid", 0, INT32_MAX); }
unsigned getegid(void) { return (unsigned)once(4, "getgid", 0, INT32_MAX); }
int getpagesize(void) { return 4096; }

/* What the system says does not change while a process lives (POSIX, sysconf), but for memory that is free. */
enum { NAMES = 256 };
GUARDED int64_t __raddle_system[NAMES]; /* two more than the value; 0: not asked for yet */

static long said_once(int name, long least)
{
    __raddle_enter(&__raddle_system[name]);
    if (!__raddle_system[name]) {
        long value = (long)__raddle_input("sysconf", sizeof(long));
        __raddle_given((value >= least) & (value < INT64_C(1) << (8 * sizeof(long) - 2)));
        __raddle_system[name] = (int64_t)value + 2;
    }
    return (long)(__raddle_system[name] - 2);
}

long sysconf(int name)
{
    enum {
        ARGUMENTS = 0, CHILDREN = 1, CLOCK_TICKS = 2, GROUPS = 3, OPEN_MAX = 4, PAGESIZE = 30, VECTORS = 60,
        KEY_ROUNDS = 73, KEYS = 74, STACK = 75, THREADS = 76, PROCESSORS_CONFIGURED = 83, PROCESSORS_ONLINE = 84,
        PAGES = 85, FREE_PAGES = 86, HOST_NAME = 180, SIGNAL_STACK = 249, USUAL_SIGNAL_STACK = 250
    };
    switch (name) {
    case CLOCK_TICKS: return 100;
    case OPEN_MAX: return 1024;
    case PAGESIZE: return 4096;
    case PROCESSORS_CONFIGURED:
    case PROCESSORS_ONLINE: return get_nprocs();
    /* What the GNU C library says on every machine. */
    case GROUPS: return 65536;
    case VECTORS: return 1024;
    case KEY_ROUNDS: return 4;
    case KEYS: return 1024;
    case THREADS: return -1;
    case HOST_NAME: return 64;
    case ARGUMENTS: return said_once(name, 4096);
    case CHILDREN: return said_once(name, 25);
    case STACK: return said_once(name, 16384);
    case PAGES: return said_once(name, 1);
    case SIGNAL_STACK:
    case USUAL_SIGNAL_STACK: return said_once(name, 2048);
    case FREE_PAGES: {
        long value = (long)__raddle_input("sysconf", sizeof(long));
        __raddle_given(value >= 0);
        return value;
    }
    default:
        if (name < 0 || name >= NAMES) {
            errno = EINVAL;
            return -1;
        }
        return said_once(name, -1);
    }
}

/* As <pthread.h> calls it for PTHREAD_STACK_MIN. */
long __sysconf(int name) { return sysconf(name); }

/* POSIX getopt. Not thread-safe: its variables are the program's. */
char *optarg;
int optind = 1, opterr = 1, optopt;
int __raddle_getopt_at;

int getopt(int count, char *const *arguments, const char *options)
{
    char *word = optind < count ? arguments[optind] : NULL;
    int silent = *options == ':';
    optarg = NULL;
    if (__raddle_getopt_at == 0) {
        if (!word || word[0] != '-' || !word[1])
            return -1;
        if (word[1] == '-' && !word[2]) {
            optind++;
            return -1;
        }
        __raddle_getopt_at = 1;
    }
    int option = (unsigned char)word[__raddle_getopt_at++], last = !word[__raddle_getopt_at];
    const char *known = options;
    while (*known && (*known == ':' || *known != option))
        known++;
    if (!*known || known[1] != ':') {
        if (last)
            optind++, __raddle_getopt_at = 0;
        if (*known)
            return option;
        optopt = option;
        return '?';
    }
    int at = __raddle_getopt_at;
    __raddle_getopt_at = 0;
    optind++;
    if (!last)
        optarg = word + at;
    else if (optind < count)
        optarg = arguments[optind++];
    else {
        optopt = option;
        return silent ? ':' : '?';
    }
    return option;
}

/* There is only the "C" locale. */
char *setlocale(int category, const char *locale)
{
    (void)category;
    if (!locale || !*locale || (*locale == 'C' && !locale[1]))
        return "C";
    return NULL;
}
