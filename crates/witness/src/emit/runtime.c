/* ---------------------------------------------------------------------------------------------------------------------
 * The machinery; the same in every generated test.
 *
 * The linker sends the program's calls of NAME to __wrap_NAME (see --wrap in the first line): memory accesses, as
 * -fsanitize=thread reports them, and the functions that synchronise. One thread runs at a time. Before an action that
 * the schedule names, a thread stands until its turn comes; where the schedule names no more actions of it, it stands
 * before the next that would be a step, until the whole schedule is done. The turn is handed over by means that
 * ThreadSanitizer does not see, so nothing is ordered but by the program itself. ThreadSanitizer follows all
 * synchronisation, but ignores all accesses other than those in raddle_shown: it cannot stumble over another pair
 * first.
 */

#define RADDLE_QUIET __attribute__((disable_sanitizer_instrumentation, noinline, unused))
#define RADDLE_CALLER __builtin_return_address(0)
#define RADDLE_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define RADDLE_LOAD(at) __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define RADDLE_STORE(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)

/* Declared here, since the program may have asked for a C library without them. */
extern long raddle_syscall(long number, ...) __asm__("syscall");
extern void (*raddle_on_signal(int number, void (*handler)(int)))(int) __asm__("signal");
extern char *raddle_real_getenv(const char *name) __asm__("__real_getenv");
extern int raddle_usleep(unsigned microseconds) __asm__("__real_usleep");
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
        fprintf(stderr, "  next is step %d: %s\n", raddle_position + 1, step->text);
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

/* Whether an action is a step wherever it occurs. */
RADDLE_QUIET static int raddle_is_step(unsigned kind, void *pc)
{
    int is_step = (kind & (RADDLE_SYNC | RADDLE_ATOMIC)) != 0;
    for (int i = 0; i < RADDLE_COUNT(raddle_sites) && !is_step; i++)
        is_step = raddle_matches(raddle_sites[i].kind, 0, &raddle_sites[i].at, kind, 0, pc);
    return is_step;
}

/* Keeps a thread back before an action, as the schedule says. */
RADDLE_QUIET static void raddle_gate(struct raddle_thread *me, unsigned kind, unsigned size, void *pc)
{
    me->granted = -1;
    for (int i = raddle_position; i < RADDLE_STEPS; i++) {
        const struct raddle_step *step = &raddle_schedule[i];
        if (step->thread != me->number || !step->kind)
            continue;
        if (raddle_matches(step->kind, step->size, &step->at, kind, size, pc)) {
            me->at = *raddle_locate(pc);
            raddle_stand(me, i);
        } else if (kind & RADDLE_SYNC) {
            me->at = *raddle_locate(pc);
            raddle_lost("a thread synchronises where it should not");
        }
        return;
    }
    /* No step is left for this thread: it stands at whatever would be one. */
    if (raddle_is_step(kind, pc)) {
        me->at = *raddle_locate(pc);
        raddle_stand(me, -1);
    }
}

/* Whether ThreadSanitizer gets to see an action. */
RADDLE_QUIET static int raddle_is_shown(struct raddle_thread *me, unsigned kind, unsigned size, void *pc)
{
    for (int i = 0; i < RADDLE_COUNT(raddle_shown); i++) {
        const struct raddle_access *access = &raddle_shown[i];
        if ((access->thread == -1 || access->thread == me->number)
            && raddle_matches(access->kind, access->size, &access->at, kind, size, pc))
            return 1;
    }
    return 0;
}

/* To ThreadSanitizer a thread begins with writing its whole stack, and that is what it would report of a variable there.
 * So each racing access comes after the beginning of the other's thread. */
RADDLE_QUIET static void raddle_see_the_others_begin(const struct raddle_thread *me)
{
    for (int i = 0; i < RADDLE_COUNT(raddle_shown); i++) {
        struct raddle_thread *t = raddle_numbered(raddle_shown[i].thread);
        if (t && t != me && t->number >= 0)
            __tsan_acquire(t);
    }
}

/* In place of the schedule (RADDLE_MEET): threads run freely, but before the racing accesses each waits a while for the other.
 * That both stand there at once, before the same bytes, shows that nothing keeps them apart, whatever ThreadSanitizer sees of
 * it: a lock in code that is not instrumented, or an order that comes from outside. */
RADDLE_QUIET static void raddle_meet(struct raddle_thread *me, unsigned size)
{
    enum { WAIT_MS = 500, MOST_WAITS = 3 };
    static struct raddle_thread *waiting;
    static unsigned waiting_size;
    static int met, lock;
    const char *at = me->accesses;
    if (!at || RADDLE_LOAD(&met))
        return;
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    struct raddle_thread *other = waiting;
    if (other && at < other->accesses + waiting_size && other->accesses < at + size) {
        fprintf(stderr, "raddle: both threads stand before their accesses\n");
        RADDLE_STORE(&met, 1);
    }
    int stays = !other && me->waits++ < MOST_WAITS;
    if (stays) {
        waiting = me;
        waiting_size = size;
    }
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    for (int ms = 0; ms < WAIT_MS && stays && !RADDLE_LOAD(&met); ms++)
        raddle_usleep(1000);
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    if (waiting == me)
        waiting = NULL;
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

/* Every action of the program comes by here, right before it is carried out. */
RADDLE_QUIET static void raddle_action(unsigned kind, unsigned size, void *pc)
{
    struct raddle_thread *me = raddle_self;
    if (!me)
        raddle_probed |= (int)kind;
    /* The compiler may make calls of the C library out of the machinery's own code. */
    if (!me || me->busy)
        return;
    me->busy = 1;
    if (me->shows)
        __tsan_ignore_thread_begin();
    RADDLE_STORE(&me->inside, 0);
    if (raddle_concurrent && !raddle_alone && !RADDLE_LOAD(&raddle_released))
        raddle_gate(me, kind, size, pc);
    if (kind & RADDLE_SYNC) {
        me->at = *raddle_locate(pc);
        RADDLE_STORE(&me->inside, 1);
    }
    me->shows = raddle_is_shown(me, kind, size, pc);
    if (me->shows && raddle_meets)
        raddle_meet(me, size);
    me->accesses = NULL;
    if (me->shows) {
        raddle_see_the_others_begin(me);
        __tsan_ignore_thread_end();
    }
    me->busy = 0;
}

/* From here on the calling thread is one of the program's. */
RADDLE_QUIET static void raddle_become(struct raddle_thread *thread)
{
    thread->status = RADDLE_RUNNING;
    raddle_self = thread;
    __tsan_ignore_thread_begin();
}

/* The thread is over. */
RADDLE_QUIET static void raddle_ended(void)
{
    struct raddle_thread *me = raddle_self;
    raddle_self = NULL;
    if (!me)
        return;
    if (!me->shows)
        __tsan_ignore_thread_end();
    RADDLE_STORE(&me->inside, 0);
    raddle_leave(me, RADDLE_ENDED);
}

static void raddle_call_destructors(void);

/* What pthread_exit comes to in the end, behind the program's cleanup handlers. */
static unsigned raddle_exit_key;
RADDLE_QUIET static void raddle_exits(void *thread)
{
    if (raddle_self == thread) {
        raddle_call_destructors();
        raddle_ended();
    }
}
extern int raddle_set_exit_key(unsigned key, const void *value) __asm__("__real_pthread_setspecific");
extern int raddle_make_exit_key(unsigned *key, void (*destructor)(void *)) __asm__("__real_pthread_key_create");

RADDLE_QUIET static void *raddle_run(void *argument)
{
    struct raddle_thread *me = argument;
    raddle_set_exit_key(raddle_exit_key, me);
    raddle_await_turn(me);
    raddle_become(me);
    __tsan_release(me);
    void *result = NULL;
    if (me->run_c11)
        result = (void *)(intptr_t)me->run_c11(me->argument);
    else
        result = me->run(me->argument);
    raddle_call_destructors();
    raddle_ended();
    return result;
}

/* A place for a new thread. The k-th thread that `main` creates is `main.k`, and so on. */
RADDLE_QUIET static struct raddle_thread *raddle_new_thread(struct raddle_thread *creator, const char *name)
{
    static int lock;
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    if (raddle_thread_count == RADDLE_COUNT(raddle_threads))
        raddle_lost("there are too many threads");
    struct raddle_thread *t = &raddle_threads[raddle_thread_count];
    __tsan_ignore_thread_begin();
    if (creator)
        snprintf(t->name, sizeof t->name, "%s.%d", creator->name, ++creator->children);
    else
        snprintf(t->name, sizeof t->name, "%s", name);
    __tsan_ignore_thread_end();
    t->number = t->want = t->granted = -1;
    for (int i = 0; i < RADDLE_COUNT(raddle_names); i++)
        if (raddle_names[i] && raddle_same_text(raddle_names[i], t->name))
            t->number = i;
    t->status = RADDLE_FRESH;
    raddle_concurrent |= raddle_thread_count++ > 0;
    raddle_alone = 0;
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    return t;
}

/* All blocked threads stand inside the calls that the deadlock is about. */
RADDLE_QUIET static int raddle_is_deadlocked(void)
{
    int all = RADDLE_COUNT(raddle_deadlock) > 1;
    for (int i = 1; i < RADDLE_COUNT(raddle_deadlock) && all; i++) {
        const struct raddle_thread *t = raddle_numbered(raddle_deadlock[i].thread);
        all = t && RADDLE_LOAD(&t->inside) && raddle_same_place(&raddle_deadlock[i].at, &t->at);
    }
    return all;
}

RADDLE_QUIET static void raddle_print_deadlock(void)
{
    __tsan_ignore_thread_begin();
    for (int i = 1; i < RADDLE_COUNT(raddle_deadlock); i++) {
        const struct raddle_blocked *b = &raddle_deadlock[i];
        const struct raddle_thread *t = raddle_numbered(b->thread);
        fprintf(stderr, "  thread %s at %s:%u waits for %s%s%s\n", t ? t->name : "?", b->at.file, b->at.line, b->waits_for,
                *b->holds ? ", holds " : "", b->holds);
    }
    raddle_failed("deadlock");
}

/* Ends the test in time. */
RADDLE_QUIET static void *raddle_watch(void *unused)
{
    (void)unused;
    enum { STEP_MS = 20, SPIN_MS = 1000, STUCK_MS = 4000, FREE_MS = 2000, DEADLOCK_MS = 600, TOTAL_MS = 8500 };
    int position = -1, still = 0, freely = 0, deadlocked = 0, turn = -1, alone = 0;
    for (int total = 0; total < TOTAL_MS; total += STEP_MS) {
        raddle_usleep(STEP_MS * 1000);
        int released = RADDLE_LOAD(&raddle_released);
        freely = released ? freely + STEP_MS : 0;
        still = position == RADDLE_LOAD(&raddle_position) ? still + STEP_MS : 0;
        position = RADDLE_LOAD(&raddle_position);
        deadlocked = position == RADDLE_STEPS && raddle_is_deadlocked() ? deadlocked + STEP_MS : 0;
        alone = turn == RADDLE_LOAD(&raddle_turn) ? alone + STEP_MS : 0;
        turn = RADDLE_LOAD(&raddle_turn);
        if (alone >= SPIN_MS && turn >= 0 && raddle_take_turn(turn)) {
            int running = RADDLE_RUNNING;
            __atomic_compare_exchange_n(&raddle_threads[turn].status, &running, RADDLE_SPINNING, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE);
            raddle_next();
        }
        if (deadlocked >= DEADLOCK_MS)
            raddle_print_deadlock();
        if (freely >= FREE_MS)
            break;
        if (!released && still >= STUCK_MS)
            break;
    }
    if (!RADDLE_LOAD(&raddle_released))
        raddle_lost("time is up");
    fprintf(stderr, "raddle: the schedule was followed, and nothing happened; some threads have not ended\n");
    raddle_end(0);
    return NULL;
}

/* The process would end now. */
RADDLE_QUIET static void raddle_finish(void)
{
    __tsan_ignore_thread_begin();
    fflush(stdout);
    if (raddle_position < RADDLE_STEPS)
        raddle_lost("the program ended before");
    fprintf(stderr, "raddle: the schedule was followed, and nothing happened\n");
    raddle_end(0);
}

/* Whether the caller is one of the program's threads, and not the last. */
RADDLE_QUIET static int raddle_others_go_on(void)
{
    int others = 0;
    for (int i = 0; i < raddle_thread_count && raddle_self; i++)
        others |= &raddle_threads[i] != raddle_self && raddle_threads[i].status != RADDLE_ENDED;
    return others;
}

/* Whether the schedule has steps left for a thread. */
RADDLE_QUIET static int raddle_is_expected(const struct raddle_thread *thread)
{
    int steps = 0;
    for (int i = raddle_position; i < RADDLE_STEPS; i++)
        steps += raddle_schedule[i].thread == thread->number && raddle_schedule[i].kind;
    return steps > 0;
}

/* Whether no step is left that leaves a trace here. */
RADDLE_QUIET static int raddle_is_followed(void)
{
    int steps = 0;
    for (int i = raddle_position; i < RADDLE_STEPS; i++)
        steps += raddle_schedule[i].kind != 0;
    return steps == 0;
}

/* A program's own way to end the process: the exit codes of the test mean something else. */
RADDLE_QUIET static void raddle_program_exits(void)
{
    if (raddle_others_go_on())
        raddle_action(RADDLE_EXIT, 0, NULL);
    raddle_finish();
}

/* Handlers and destructors are the program's, and part of the schedule: this one comes behind all of them. */
__attribute__((destructor(1))) RADDLE_QUIET static void raddle_at_exit(void)
{
    if (raddle_self)
        raddle_program_exits();
}

/* The instrumented twin of what the checks below need to see. */
static __attribute__((noinline)) void raddle_probe(int *at) { (*at)++; }

/* Where the test is about a race, a crash shows nothing of it. One behind the thread's part in the race, or in what the test takes,
 * came early. */
RADDLE_QUIET static void raddle_crashed(int number)
{
    (void)number;
    if (raddle_others_go_on() && !raddle_is_expected(raddle_self)) {
        raddle_action(RADDLE_EXIT, 0, NULL);
        for (int ms = 0; ms < 1000 && RADDLE_ABOUT_A_RACE; ms++)
            raddle_usleep(1000);
    }
    if (RADDLE_ABOUT_BRANCHES && raddle_is_followed())
        raddle_failed("the schedule was followed, and then the program failed");
    raddle_lost("the program crashed");
}

RADDLE_QUIET static void raddle_begin(void)
{
    enum { ILL = 4, TRAP = 5, ABRT = 6, BUS = 7, FPE = 8, SEGV = 11 };
    static const int signals[] = {ILL, TRAP, ABRT, BUS, FPE, SEGV};
    for (int i = 0; (RADDLE_ABOUT_A_RACE || RADDLE_ABOUT_BRANCHES) && i < RADDLE_COUNT(signals); i++)
        raddle_on_signal(signals[i], raddle_crashed);
    raddle_make_exit_key(&raddle_exit_key, raddle_exits);
    raddle_meets = raddle_real_getenv("RADDLE_MEET") != NULL;
    RADDLE_STORE(&raddle_released, raddle_meets);
    int value = 0;
    raddle_probed = 0;
    raddle_probe(&value);
    if (raddle_probed != (RADDLE_READ | RADDLE_WRITE))
        raddle_lost("this was not built with the command in its first line (-mllvm -tsan-instrument-read-before-write)");
    if (raddle_locate(RADDLE_CALLER)->line == 0)
        raddle_lost("ThreadSanitizer found no llvm-symbolizer, or there is no debug information");
}

RADDLE_QUIET static void raddle_start_watch(void)
{
    unsigned long watch;
    if (__real_pthread_create(&watch, NULL, raddle_watch, NULL) != 0)
        raddle_lost("no thread could be created");
}
