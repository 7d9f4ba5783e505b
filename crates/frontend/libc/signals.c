/* Signals (C11 7.14, POSIX <signal.h>).
 *
 * Which signals a set holds, what is done about each, and what each thread blocks is kept exactly. That a handler of the
 * program's own runs when a signal comes from outside is not explored, which is noted where one is installed. What the
 * program sends to itself arrives at once.
 *
 * Provides: sigemptyset sigfillset sigaddset sigdelset sigismember sigisemptyset sigandset sigorset sigaction signal bsd_signal
 * sysv_signal __sysv_signal siginterrupt sigprocmask pthread_sigmask sigpending raise pthread_kill kill sigwait sigwaitinfo
 * sigtimedwait sigaltstack strsignal __libc_current_sigrtmin __libc_current_sigrtmax */

enum { LAST = 64, HIDDEN = 32, HIDDEN_TOO = 33 };
enum { ESRCH = 3 };
enum { SIGILL = 4, SIGTRAP = 5, SIGABRT = 6, SIGBUS = 7, SIGFPE = 8, SIGKILL = 9, SIGSEGV = 11, SIGSYS = 31 };
enum { SIGCHLD = 17, SIGCONT = 18, SIGSTOP = 19, SIGTTOU = 22, SIGURG = 23, SIGWINCH = 28 };
enum { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };
enum { SA_RESETHAND = (int)0x80000000, SA_RESTART = 0x10000000, SA_NODEFER = 0x40000000, SA_SIGINFO = 4 };

typedef void (*handler_t)(int);
#define SIG_DFL ((handler_t)0)
#define SIG_IGN ((handler_t)1)
#define SIG_ERR ((handler_t)-1)

/* As large as the GNU C library's, which uses the first 64 bits. */
typedef struct { unsigned long words[128 / sizeof(long)]; } sigset_t;
enum { WORDS = 8 / sizeof(long), BITS = 8 * sizeof(long) };

struct sigaction {
    handler_t handler;
    sigset_t mask;
    int flags;
    void (*restorer)(void);
};

/* What the calling thread blocks: a bit for each signal. A new thread blocks what its creator does. */
extern uint64_t __raddle_signal_mask(void);
extern void __raddle_set_signal_mask(uint64_t mask);
extern void __raddle_may_be_signalled(void);
/* Whether a thread's handle names one that was not joined. */
extern int __raddle_is_thread(unsigned long thread);
extern void abort(void) __attribute__((noreturn));
extern int getpid(void);

static int is_signal(int signal) { return signal > 0 && signal <= LAST; }
static int is_hidden(int signal) { return signal == HIDDEN || signal == HIDDEN_TOO; }
static unsigned long bit(int signal) { return 1ul << ((unsigned)(signal - 1) % BITS); }
static unsigned word(int signal) { return (unsigned)(signal - 1) / BITS; }
static uint64_t bit64(int signal) { return (uint64_t)1 << (signal - 1); }
#define BOTH_HIDDEN (bit64(HIDDEN) | bit64(HIDDEN_TOO))

static uint64_t set_of(const sigset_t *set)
{
    uint64_t bits = set->words[0];
    if (WORDS > 1)
        bits |= (uint64_t)set->words[WORDS - 1] << 32;
    return bits;
}

static void store(sigset_t *set, uint64_t bits)
{
    set->words[0] = (unsigned long)bits;
    if (WORDS > 1)
        set->words[WORDS - 1] = (unsigned long)(bits >> 32);
}

int sigemptyset(sigset_t *set) { return store(set, 0), 0; }
int sigfillset(sigset_t *set) { return store(set, ~BOTH_HIDDEN), 0; }

static int may_change(int signal)
{
    if (is_signal(signal) && !is_hidden(signal))
        return 1;
    errno = EINVAL;
    return 0;
}

int sigaddset(sigset_t *set, int signal)
{
    if (!may_change(signal))
        return -1;
    set->words[word(signal)] |= bit(signal);
    return 0;
}

int sigdelset(sigset_t *set, int signal)
{
    if (!may_change(signal))
        return -1;
    set->words[word(signal)] &= ~bit(signal);
    return 0;
}

int sigismember(const sigset_t *set, int signal)
{
    if (!is_signal(signal)) {
        errno = EINVAL;
        return -1;
    }
    return (set->words[word(signal)] & bit(signal)) != 0;
}

int sigisemptyset(const sigset_t *set) { return set_of(set) == 0; }
int sigandset(sigset_t *to, const sigset_t *a, const sigset_t *b) { return store(to, set_of(a) & set_of(b)), 0; }
int sigorset(sigset_t *to, const sigset_t *a, const sigset_t *b) { return store(to, set_of(a) | set_of(b)), 0; }

/* What is done about each signal. */
GUARDED struct sigaction __raddle_actions[LAST + 1];

/* Faults send these, and nobody else is waited for to do so. */
static int is_fault(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ||
           signal == SIGSYS || signal == SIGABRT;
}

static void installed(int signal, const struct sigaction *action)
{
    if (action->handler == SIG_DFL || action->handler == SIG_IGN)
        return;
    __raddle_note("a signal handler may run at any time: that is not explored");
    if (!is_fault(signal))
        __raddle_may_be_signalled();
}

int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    if (!may_change(signal))
        return -1;
    if (action && (signal == SIGKILL || signal == SIGSTOP)) {
        errno = EINVAL;
        return -1;
    }
    /* Read before, written after: both may be one. */
    struct sigaction wanted;
    if (action) {
        wanted.handler = action->handler;
        wanted.mask = action->mask;
        wanted.flags = action->flags;
        installed(signal, &wanted);
    }
    __raddle_enter(__raddle_actions);
    struct sigaction *known = &__raddle_actions[signal];
    struct sigaction before = *known;
    if (action) {
        known->handler = wanted.handler;
        known->mask = wanted.mask;
        known->flags = wanted.flags;
    }
    if (old) {
        old->handler = before.handler;
        old->mask = before.mask;
        old->flags = before.flags;
    }
    return 0;
}

static handler_t replaced(int signal, handler_t handler, int flags)
{
    struct sigaction wanted, before;
    if (handler == SIG_ERR || !may_change(signal)) {
        errno = EINVAL;
        return SIG_ERR;
    }
    wanted.handler = handler;
    wanted.flags = flags;
    store(&wanted.mask, flags & SA_NODEFER ? 0 : bit64(signal));
    return sigaction(signal, &wanted, &before) < 0 ? SIG_ERR : before.handler;
}

handler_t signal(int number, handler_t handler) { return replaced(number, handler, SA_RESTART); }
handler_t bsd_signal(int number, handler_t handler) { return replaced(number, handler, SA_RESTART); }
handler_t sysv_signal(int number, handler_t handler) { return replaced(number, handler, SA_RESETHAND | SA_NODEFER); }
handler_t __sysv_signal(int number, handler_t handler) { return sysv_signal(number, handler); }

int siginterrupt(int signal, int interrupts)
{
    if (!may_change(signal))
        return -1;
    __raddle_enter(__raddle_actions);
    int *flags = &__raddle_actions[signal].flags;
    *flags = interrupts ? *flags & ~SA_RESTART : *flags | SA_RESTART;
    return 0;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    uint64_t before = __raddle_signal_mask(), after = before;
    if (set) {
        uint64_t given = set_of(set) & ~BOTH_HIDDEN;
        switch (how) {
        case SIG_BLOCK: after = before | given; break;
        case SIG_UNBLOCK: after = before & ~given; break;
        case SIG_SETMASK: after = given; break;
        default: return EINVAL;
        }
        __raddle_set_signal_mask(after & ~(bit64(SIGKILL) | bit64(SIGSTOP)));
    }
    if (old)
        store(old, before);
    return 0;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int error = pthread_sigmask(how, set, old);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

/* What is sent by the program arrives at once, so that nothing but what comes from outside can be pending. */
int sigpending(sigset_t *set)
{
    uint64_t pending = (uint64_t)__raddle_input("sigpending", 8);
    __raddle_given((pending & ~__raddle_signal_mask()) == 0);
    store(set, pending);
    return 0;
}

static int is_harmless(int signal)
{
    return signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH;
}

/* A signal arrives at the calling thread. */
static void deliver(int signal)
{
    if (signal != SIGKILL && signal != SIGSTOP && (__raddle_signal_mask() & bit64(signal)))
        __raddle_unsupported("sending a signal that the thread blocks");
    __raddle_enter(__raddle_actions);
    struct sigaction *known = &__raddle_actions[signal];
    handler_t handler = known->handler;
    if (handler == SIG_IGN || (handler == SIG_DFL && is_harmless(signal)))
        return;
    if (handler == SIG_DFL) {
        if (signal == SIGABRT)
            abort();
        if (signal >= SIGSTOP && signal <= SIGTTOU)
            __raddle_unsupported("stopping the process");
        _Exit(128 + signal);
    }
    if (known->flags & SA_SIGINFO)
        __raddle_unsupported("a signal handler with three arguments that the program calls by sending a signal");
    uint64_t mask = __raddle_signal_mask();
    __raddle_set_signal_mask(mask | set_of(&known->mask) | (known->flags & SA_NODEFER ? 0 : bit64(signal)));
    if (known->flags & SA_RESETHAND)
        known->handler = SIG_DFL;
    handler(signal);
    __raddle_set_signal_mask(mask);
}

int raise(int signal)
{
    if (!may_change(signal)) {
        errno = EINVAL;
        return -1;
    }
    deliver(signal);
    return 0;
}

/* Whether a signal to another thread does anything. */
static int is_felt(int signal)
{
    __raddle_enter(__raddle_actions);
    handler_t handler = __raddle_actions[signal].handler;
    return handler != SIG_IGN && !(handler == SIG_DFL && is_harmless(signal));
}

extern unsigned long pthread_self(void);

int pthread_kill(unsigned long thread, int signal)
{
    if (signal != 0 && !is_signal(signal))
        return EINVAL;
    if (is_hidden(signal))
        return EINVAL;
    if (!__raddle_is_thread(thread))
        return ESRCH;
    if (signal == 0)
        return 0;
    if (thread == pthread_self())
        deliver(signal);
    else if (is_felt(signal))
        __raddle_unsupported("sending a signal to another thread");
    return 0;
}

int kill(int process, int signal)
{
    if (signal < 0 || signal > LAST) {
        errno = EINVAL;
        return -1;
    }
    if (process == getpid() || process == 0) {
        if (signal != 0 && is_felt(signal))
            __raddle_unsupported("sending a signal to the process");
        return 0;
    }
    /* Another process: it may be there. */
    int fails = (int)__raddle_input("kill", 1) & 1;
    if (fails)
        errno = ESRCH;
    return -fails;
}

/* Any signal of the set may come at any time. */
static int awaited(const sigset_t *set, const char *name)
{
    uint64_t bits = set_of(set) & ~BOTH_HIDDEN;
    if (bits == 0)
        __raddle_unsupported("waiting for a signal of an empty set");
    int number = (int)__raddle_input(name, 1);
    __raddle_given((number > 0) & (number <= LAST));
    __raddle_given((bits >> (unsigned)((number - 1) & 63) & 1) != 0);
    return number;
}

int sigwait(const sigset_t *set, int *number)
{
    *number = awaited(set, "sigwait");
    return 0;
}

static void describe(int *info, int number)
{
    if (info) {
        memset(info, 0, 128);
        info[0] = number;
    }
}

int sigwaitinfo(const sigset_t *set, int *info)
{
    int number = awaited(set, "sigwait");
    return describe(info, number), number;
}

int sigtimedwait(const sigset_t *set, int *info, const void *limit)
{
    (void)limit;
    if (__raddle_input("sigtimedwait", 1) & 1) {
        errno = EAGAIN;
        return -1;
    }
    return sigwaitinfo(set, info);
}

struct stack { void *at; int flags; size_t size; };
int sigaltstack(const struct stack *new, struct stack *old)
{
    (void)new;
    if (old)
        *old = (struct stack){.flags = 2};
    return 0;
}

static const char *const names[] = {
    "Hangup", "Interrupt", "Quit", "Illegal instruction", "Trace/breakpoint trap", "Aborted", "Bus error",
    "Floating point exception", "Killed", "User defined signal 1", "Segmentation fault", "User defined signal 2", "Broken pipe",
    "Alarm clock", "Terminated", "Stack fault", "Child exited", "Continued", "Stopped (signal)", "Stopped", "Stopped (tty input)",
    "Stopped (tty output)", "Urgent I/O condition", "CPU time limit exceeded", "File size limit exceeded",
    "Virtual timer expired", "Profiling timer expired", "Window changed", "I/O possible", "Power failure", "Bad system call",
};
_Thread_local char __raddle_signal_name[24];

char *strsignal(int signal)
{
    extern int snprintf(char *to, size_t size, const char *format, ...);
    if (signal > 0 && signal <= (int)(sizeof names / sizeof *names))
        return (char *)names[signal - 1];
    snprintf(__raddle_signal_name, sizeof __raddle_signal_name,
             signal > HIDDEN_TOO && signal <= LAST ? "Real-time signal %d" : "Unknown signal %d",
             signal > HIDDEN_TOO && signal <= LAST ? signal - HIDDEN_TOO - 1 : signal);
    return __raddle_signal_name;
}

int __libc_current_sigrtmin(void) { return HIDDEN_TOO + 1; }
int __libc_current_sigrtmax(void) { return LAST; }
