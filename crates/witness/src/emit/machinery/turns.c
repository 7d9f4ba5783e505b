/* The linker sends the program's calls of NAME to __wrap_NAME (see --wrap in the first line): memory accesses, as
 * -fsanitize=thread reports them, and the functions that synchronise. One thread runs at a time. Before an action that
 * the schedule names, a thread stands until its turn comes; where the schedule names no more actions of it, it stands
 * before the next that would be a step, until the whole schedule is done. The turn is handed over by means that
 * ThreadSanitizer does not see, so nothing is ordered but by the program itself. ThreadSanitizer follows all
 * synchronisation, but ignores all accesses other than those in raddle_shown: it cannot stumble over another pair
 * first.
 */

#define RADDLE_CALLER __builtin_return_address(0)
#define RADDLE_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define RADDLE_LOAD(at) __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define RADDLE_STORE(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)

/* Declared here, since the program may have asked for a C library without them. */
extern long raddle_syscall(long number, ...) __asm__("syscall");
extern void (*raddle_on_signal(int number, void (*handler)(int)))(int) __asm__("signal");
extern char **raddle_environment __asm__("environ");
extern void __sanitizer_symbolize_pc(void *pc, const char *format, char *out, size_t size);
extern const void *__sanitizer_get_allocated_begin(const void *at);
extern void __tsan_ignore_thread_begin(void);
extern void __tsan_ignore_thread_end(void);
extern void __tsan_acquire(void *at);
extern void __tsan_release(void *at);
extern int __real_pthread_create(void *thread, const void *attributes, void *(*run)(void *), void *argument);
extern int __real_pthread_join(unsigned long thread, void **result);

enum raddle_status {
    RADDLE_ABSENT, RADDLE_FRESH, RADDLE_RUNNING, RADDLE_STANDING, RADDLE_JOINING, RADDLE_ENDED,
    RADDLE_AT_BARRIER,
    RADDLE_SPINNING, /* it runs, though not its turn: see raddle_take_turn */
};

struct raddle_thread {
    char name[64];
    int number; /* in the schedule; -1 if it does not occur there */
    int status;
    int want;    /* the step before which it stands; -1: none, it waits for the end of the schedule */
    int granted; /* the step that it carries out */
    int inside;  /* its last action is a call that may block */
    int shows;   /* its last action is one that ThreadSanitizer gets to see */
    int children;
    int busy; /* inside the machinery */
    struct raddle_place at; /* its last action */
    struct raddle_thread *joins;
    int joined; /* somebody has waited for its end */
    unsigned long handle;
    void *(*run)(void *);
    int (*run_c11)(void *);
    void *argument;
    void (*once)(void);
    int through, serial; /* a barrier has let it through, as the one that is told so */
    void *condition; /* that it waits on */
    const char *accesses; /* where, if it is known */
    int waits; /* for the other side of the race: so many times */
    int signalled;
};

static struct raddle_thread raddle_threads[1024];
static int raddle_thread_count;
static __thread struct raddle_thread *raddle_self;
static int raddle_turn = -1;    /* index of the thread that runs; -1: none yet, or all; -2: it is being handed on */
static int raddle_position;     /* steps of the schedule that have begun */
static int raddle_meets;        /* there is no schedule: see raddle_meet */
static int raddle_released;     /* the schedule is done, all threads run freely */
static int raddle_concurrent;   /* there has been more than one thread */
static int raddle_alone;        /* all others have been joined since: what is done now is no step */
static volatile int raddle_reports, raddle_probed;

const char *__tsan_default_options(void) { return RADDLE_TSAN_OPTIONS; }
RADDLE_QUIET void __tsan_on_report(void *report) { (void)report; raddle_reports++; }

/* There with -fprofile-instr-generate. */
extern int __llvm_profile_write_file(void) __attribute__((weak));

/* Not by _exit, where ThreadSanitizer would complain that it was told to ignore accesses. */
RADDLE_QUIET static void raddle_end(int code)
{
    enum { SYS_EXIT_GROUP = 231 };
    raddle_self = NULL; /* What writing takes is no action of the program's. */
    if (__llvm_profile_write_file)
        __llvm_profile_write_file();
    for (;;)
        raddle_syscall(SYS_EXIT_GROUP, raddle_reports ? 66 : code);
}

RADDLE_QUIET static void raddle_usleep(unsigned microseconds)
{
    enum { SYS_NANOSLEEP = 35 };
    long time[2] = {0, microseconds * 1000L};
    raddle_syscall(SYS_NANOSLEEP, time, NULL);
}

/* The C library's functions would come by the hooks again, and ThreadSanitizer would watch what they read. */
RADDLE_QUIET static int raddle_same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

RADDLE_QUIET static void raddle_copy(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
}

RADDLE_QUIET static void raddle_clear(char *at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile char *)at)[i] = 0;
}

RADDLE_QUIET static const char *raddle_base(const char *path)
{
    const char *base = path;
    for (; *path; path++)
        if (*path == '/')
            base = path + 1;
    return base;
}

RADDLE_QUIET static unsigned raddle_number(char **text)
{
    unsigned value = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        value = value * 10 + (unsigned)(**text - '0');
    if (**text == ':')
        ++*text;
    return value;
}

/* Where an instruction stands in the source. Asking takes long, so the answers are kept. */
RADDLE_QUIET static const struct raddle_place *raddle_locate(void *pc)
{
    enum { SLOTS = 1 << 13 };
    static struct { void *pc; struct raddle_place place; char file[48]; } known[SLOTS];
    static int lock, used;
    static const struct raddle_place nowhere = {"", 0, 0};
    if (!pc)
        return &nowhere;
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    size_t slot = ((size_t)pc * 0x9E3779B97F4A7C15u) >> 51;
    while (known[slot].pc && known[slot].pc != pc)
        slot = (slot + 1) % SLOTS;
    if (!known[slot].pc && used < SLOTS - 1) {
        char text[512], *rest = text;
        text[0] = 0;
        __sanitizer_symbolize_pc(pc, "%l:%c:%s", text, sizeof text);
        known[slot].place.line = raddle_number(&rest);
        known[slot].place.column = raddle_number(&rest);
        raddle_copy(known[slot].file, raddle_base(rest), sizeof known[slot].file - 1);
        known[slot].place.file = known[slot].file;
        known[slot].pc = pc;
        used++;
    }
    const struct raddle_place *place = known[slot].pc ? &known[slot].place : &nowhere;
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    return place;
}

/* File names are compared without directories, and only as far as they are kept. */
RADDLE_QUIET static int raddle_same_file(const char *a, const char *b)
{
    int length = 0;
    for (; *a && *a == *b && length < 46; length++)
        a++, b++;
    return length == 46 || *a == *b;
}

RADDLE_QUIET static int raddle_same_place(const struct raddle_place *wanted, const struct raddle_place *found)
{
    return wanted->line == 0
        || (wanted->line == found->line
            && (wanted->column == 0 || found->column == 0 || wanted->column == found->column)
            && raddle_same_file(raddle_base(wanted->file), found->file));
}

RADDLE_QUIET static int raddle_matches(unsigned kinds, unsigned wanted_size, const struct raddle_place *wanted,
                                       unsigned kind, unsigned size, void *pc)
{
    if (!(kinds & kind) || (wanted_size && size && wanted_size != size))
        return 0;
    return (kind & (RADDLE_ONCE_DONE | RADDLE_EXIT)) || raddle_same_place(wanted, raddle_locate(pc));
}

RADDLE_QUIET static struct raddle_thread *raddle_numbered(int number)
{
    for (int i = 0; i < raddle_thread_count; i++)
        if (raddle_threads[i].number == number)
            return &raddle_threads[i];
    return NULL;
}

RADDLE_QUIET static void raddle_print_threads(void)
{
    static const char *const doing[] = {"is absent", "has not run", "runs", "stands", "joins another thread", "has ended",
                                        "waits at a barrier",
                                        "goes on and on"};
    for (int i = 0; i < raddle_thread_count; i++) {
        const struct raddle_thread *t = &raddle_threads[i];
        fprintf(stderr, "  thread %s %s", t->name, doing[t->status]);
        if (t->at.line)
            fprintf(stderr, ", last seen at %s:%u:%u", t->at.file, t->at.line, t->at.column);
        fprintf(stderr, "\n");
    }
}

/* The program does not do what the schedule says. */
RADDLE_QUIET static void raddle_lost(const char *why)
{
    __tsan_ignore_thread_begin();
    fprintf(stderr, "raddle: the schedule was not reached: %s\n", why);
    if (raddle_position < RADDLE_STEPS) {
        const struct raddle_step *step = &raddle_schedule[raddle_position];
        fprintf(stderr, "  next is step %d: thread %s %s\n", raddle_position + 1,
                step->thread < 0 || !raddle_names[step->thread] ? "?" : raddle_names[step->thread], step->text);
    }
    raddle_print_threads();
    raddle_end(3);
}

/* The failure showed without a report of ThreadSanitizer. */
RADDLE_QUIET static void raddle_failed(const char *what)
{
    __tsan_ignore_thread_begin();
    fprintf(stderr, "raddle: %s\n", what);
    raddle_end(66);
}

RADDLE_QUIET static void raddle_hand_to(int thread)
{
    enum { SYS_FUTEX = 202, FUTEX_WAKE_PRIVATE = 129 };
    RADDLE_STORE(&raddle_turn, thread);
    raddle_syscall(SYS_FUTEX, &raddle_turn, FUTEX_WAKE_PRIVATE, 0x7fffffff, NULL, NULL, 0);
}

RADDLE_QUIET static void raddle_grant(struct raddle_thread *thread)
{
    thread->status = RADDLE_RUNNING;
    raddle_hand_to((int)(thread - raddle_threads));
}

/* Hands the turn on. First every thread runs up to its next action, then the schedule says who carries out his. */
RADDLE_QUIET static void raddle_next(void)
{
    if (raddle_meets) {
        raddle_hand_to(-1);
        return;
    }
    for (int i = 0; i < raddle_thread_count; i++) {
        struct raddle_thread *t = &raddle_threads[i];
        if (t->status == RADDLE_FRESH || (t->status == RADDLE_AT_BARRIER && t->through) || (t->status == RADDLE_JOINING && t->joins->status == RADDLE_ENDED)) {
            raddle_grant(t);
            return;
        }
    }
    while (raddle_position < RADDLE_STEPS && !raddle_schedule[raddle_position].kind)
        raddle_position++; /* it leaves no trace here */
    if (raddle_position == RADDLE_STEPS) {
        RADDLE_STORE(&raddle_released, 1);
        raddle_hand_to(-1);
        return;
    }
    struct raddle_thread *t = raddle_numbered(raddle_schedule[raddle_position].thread);
    for (int waited = 0; waited < 4000 && t && RADDLE_LOAD(&t->status) == RADDLE_SPINNING; waited++)
        raddle_usleep(1000);
    if (!t)
        raddle_lost("the thread whose turn it is was never started");
    else if (t->status != RADDLE_STANDING || t->want != raddle_position)
        raddle_lost("the thread whose turn it is does not get there");
    raddle_position++;
    raddle_grant(t);
}

/* Takes the turn from a thread; false if it has lost it. A thread loses it by going on and on without an action that the
 * schedule names: it goes in circles, and stands only should it get to one after all. */
RADDLE_QUIET static int raddle_take_turn(int thread)
{
    return __atomic_compare_exchange_n(&raddle_turn, &thread, -2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Goes over to another status than running, and hands the turn on. */
RADDLE_QUIET static void raddle_leave(struct raddle_thread *me, int status)
{
    int had_turn = raddle_take_turn((int)(me - raddle_threads));
    RADDLE_STORE(&me->status, status);
    if (had_turn)
        raddle_next();
}

RADDLE_QUIET static void raddle_await_turn(struct raddle_thread *me)
{
    enum { SYS_FUTEX = 202, FUTEX_WAIT_PRIVATE = 128 };
    for (;;) {
        int turn = RADDLE_LOAD(&raddle_turn);
        if (turn == (int)(me - raddle_threads) || RADDLE_LOAD(&raddle_released))
            return;
        raddle_syscall(SYS_FUTEX, &raddle_turn, FUTEX_WAIT_PRIVATE, turn, NULL, NULL, 0);
    }
}

RADDLE_QUIET static void raddle_stand(struct raddle_thread *me, int step)
{
    me->want = step;
    raddle_leave(me, RADDLE_STANDING);
    raddle_await_turn(me);
    me->granted = RADDLE_LOAD(&raddle_released) && me->status == RADDLE_STANDING ? -1 : step;
    me->status = RADDLE_RUNNING;
}
