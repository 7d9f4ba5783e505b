/* ---- What the linker puts between the program and the C library, or ThreadSanitizer. ---- */

/* The call goes on as the caller's own: reports name the program's line. */
#define RADDLE_HOOK(result, name, parameters, arguments, kind, size) \
    extern result __real_##name parameters; \
    RADDLE_QUIET result __wrap_##name parameters \
    { \
        raddle_action(kind, size, RADDLE_CALLER); \
        __attribute__((musttail)) return __real_##name arguments; \
    }
#define RADDLE_ON_ACCESS(name, kind, size) \
    extern void __real_##name(void *at); \
    RADDLE_QUIET void __wrap_##name(void *at) \
    { \
        if (raddle_meets && raddle_self) \
            raddle_self->accesses = at; \
        raddle_action(kind, size, RADDLE_CALLER); \
        __attribute__((musttail)) return __real_##name(at); \
    }

RADDLE_ON_ACCESS(__tsan_read1, RADDLE_READ, 1)
RADDLE_ON_ACCESS(__tsan_read2, RADDLE_READ, 2)
RADDLE_ON_ACCESS(__tsan_read4, RADDLE_READ, 4)
RADDLE_ON_ACCESS(__tsan_read8, RADDLE_READ, 8)
RADDLE_ON_ACCESS(__tsan_read16, RADDLE_READ, 16)
RADDLE_ON_ACCESS(__tsan_write1, RADDLE_WRITE, 1)
RADDLE_ON_ACCESS(__tsan_write2, RADDLE_WRITE, 2)
RADDLE_ON_ACCESS(__tsan_write4, RADDLE_WRITE, 4)
RADDLE_ON_ACCESS(__tsan_write8, RADDLE_WRITE, 8)
RADDLE_ON_ACCESS(__tsan_write16, RADDLE_WRITE, 16)
RADDLE_ON_ACCESS(__tsan_unaligned_read2, RADDLE_READ, 2)
RADDLE_ON_ACCESS(__tsan_unaligned_read4, RADDLE_READ, 4)
RADDLE_ON_ACCESS(__tsan_unaligned_read8, RADDLE_READ, 8)
RADDLE_ON_ACCESS(__tsan_unaligned_read16, RADDLE_READ, 16)
RADDLE_ON_ACCESS(__tsan_unaligned_write2, RADDLE_WRITE, 2)
RADDLE_ON_ACCESS(__tsan_unaligned_write4, RADDLE_WRITE, 4)
RADDLE_ON_ACCESS(__tsan_unaligned_write8, RADDLE_WRITE, 8)
RADDLE_ON_ACCESS(__tsan_unaligned_write16, RADDLE_WRITE, 16)

/* Copies are reads and writes at one place; which of the two a step means does not matter. */
#define RADDLE_BOTH (RADDLE_READ | RADDLE_WRITE)
RADDLE_HOOK(void *, __tsan_memcpy, (void *to, const void *from, size_t n), (to, from, n), RADDLE_BOTH, (unsigned)n)
RADDLE_HOOK(void *, __tsan_memmove, (void *to, const void *from, size_t n), (to, from, n), RADDLE_BOTH, (unsigned)n)
RADDLE_HOOK(void *, __tsan_memset, (void *to, int c, size_t n), (to, c, n), RADDLE_WRITE, (unsigned)n)
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
RADDLE_HOOK(long, strtol, (const char *s, char **end, int base), (s, end, base), RADDLE_BOTH, 0)
RADDLE_HOOK(unsigned long, strtoul, (const char *s, char **end, int base), (s, end, base), RADDLE_BOTH, 0)
RADDLE_HOOK(int, atoi, (const char *s), (s), RADDLE_READ, 0)

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

extern char *__real_strcat(char *to, const char *from);
RADDLE_QUIET char *__wrap_strcat(char *to, const char *from)
{
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    size_t begin = raddle_reads(to, SIZE_MAX, RADDLE_CALLER), n = raddle_reads(from, SIZE_MAX, RADDLE_CALLER);
    raddle_writes(to + begin, n + 1, RADDLE_CALLER);
    __attribute__((musttail)) return __real_strcat(to, from);
}

extern char *__real_strncat(char *to, const char *from, size_t most);
RADDLE_QUIET char *__wrap_strncat(char *to, const char *from, size_t most)
{
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    size_t begin = raddle_reads(to, SIZE_MAX, RADDLE_CALLER), n = raddle_reads(from, most, RADDLE_CALLER);
    raddle_writes(to + begin, n + 1, RADDLE_CALLER);
    __attribute__((musttail)) return __real_strncat(to, from, most);
}

extern char *__real_stpcpy(char *to, const char *from);
RADDLE_QUIET char *__wrap_stpcpy(char *to, const char *from)
{
    raddle_action(RADDLE_BOTH, 0, RADDLE_CALLER);
    raddle_writes(to, raddle_reads(from, SIZE_MAX, RADDLE_CALLER) + 1, RADDLE_CALLER);
    __attribute__((musttail)) return __real_stpcpy(to, from);
}

extern char *__real_strdup(const char *s);
RADDLE_QUIET char *__wrap_strdup(const char *s)
{
    raddle_action(RADDLE_READ, 0, RADDLE_CALLER);
    raddle_reads(s, SIZE_MAX, RADDLE_CALLER);
    __attribute__((musttail)) return __real_strdup(s);
}

/* Allocations that fail are inputs: each call asks. */
static void raddle_input(void *at, size_t size, const char *name);
RADDLE_QUIET static int raddle_fails(void)
{
    unsigned char fails = 0;
    if (RADDLE_FAILS_ALLOCATIONS && raddle_self && !raddle_self->busy)
        raddle_input(&fails, 1, "allocation fails");
    return fails != 0;
}

/* To allocate is no access: only the place in the source would match. The zeros of calloc are written. */
#define RADDLE_ON_ALLOCATION(result, name, parameters, arguments, kind, failure) \
    extern result __real_##name parameters; \
    RADDLE_QUIET result __wrap_##name parameters \
    { \
        raddle_action(kind, 0, RADDLE_CALLER); \
        if (raddle_fails()) \
            return failure; \
        __attribute__((musttail)) return __real_##name arguments; \
    }
extern int *raddle_errno(void) __asm__("__errno_location");
#define RADDLE_NO_MEMORY (*raddle_errno() = 12 /* ENOMEM */, NULL)
RADDLE_ON_ALLOCATION(void *, malloc, (size_t n), (n), 0, RADDLE_NO_MEMORY)
RADDLE_ON_ALLOCATION(void *, calloc, (size_t n, size_t m), (n, m), RADDLE_WRITE, RADDLE_NO_MEMORY)
RADDLE_ON_ALLOCATION(void *, aligned_alloc, (size_t alignment, size_t n), (alignment, n), 0, RADDLE_NO_MEMORY)
RADDLE_ON_ALLOCATION(void *, memalign, (size_t alignment, size_t n), (alignment, n), 0, RADDLE_NO_MEMORY)
RADDLE_ON_ALLOCATION(int, posix_memalign, (void **at, size_t alignment, size_t n), (at, alignment, n), 0, 12 /* ENOMEM */)
/* ThreadSanitizer sees that realloc ends the old block, not that it reads it. The pair of lines is the same. */
RADDLE_ON_ALLOCATION(void *, realloc, (void *at, size_t n), (at, n), RADDLE_READ | RADDLE_WRITE | RADDLE_FREE, RADDLE_NO_MEMORY)

extern void __real_free(void *at);
RADDLE_QUIET void __wrap_free(void *at)
{
    raddle_action(RADDLE_WRITE | RADDLE_FREE, 0, RADDLE_CALLER);
    if (RADDLE_CHECKS_FREE && at && raddle_self && __sanitizer_get_allocated_begin(at) != at) {
        /* ThreadSanitizer overlooks a second free. It sees the write that a free is. */
        __tsan_write1_pc(at, RADDLE_CALLER);
        raddle_failed("memory is freed that is not allocated, or no more");
    }
    __attribute__((musttail)) return __real_free(at);
}

/* Mutexes and read-write locks. Locking reads the object, initialising and destroying writes it. */
#define RADDLE_ON_LOCK(name) \
    RADDLE_HOOK(int, name, (void *lock), (lock), RADDLE_CALL | RADDLE_READ, 0)
#define RADDLE_ON_INIT(name) \
    RADDLE_HOOK(int, name, (void *lock, const void *how), (lock, how), RADDLE_CALL | RADDLE_WRITE, 0)
/* ThreadSanitizer overlooks that a lock in freed memory is destroyed. It sees the write that this is. */
#define RADDLE_ON_DESTROY(name) \
    extern int __real_##name(void *lock); \
    RADDLE_QUIET int __wrap_##name(void *lock) \
    { \
        raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, RADDLE_CALLER); \
        __tsan_write1_pc(lock, RADDLE_CALLER); \
        __attribute__((musttail)) return __real_##name(lock); \
    }
RADDLE_ON_INIT(pthread_mutex_init)
RADDLE_ON_DESTROY(pthread_mutex_destroy)
RADDLE_ON_LOCK(pthread_mutex_lock)
RADDLE_ON_LOCK(pthread_mutex_trylock)
RADDLE_ON_LOCK(pthread_mutex_unlock)
RADDLE_ON_INIT(pthread_rwlock_init)
RADDLE_ON_DESTROY(pthread_rwlock_destroy)
RADDLE_ON_LOCK(pthread_rwlock_rdlock)
RADDLE_ON_LOCK(pthread_rwlock_wrlock)
RADDLE_ON_LOCK(pthread_rwlock_tryrdlock)
RADDLE_ON_LOCK(pthread_rwlock_trywrlock)
RADDLE_ON_LOCK(pthread_rwlock_unlock)
RADDLE_ON_INIT(pthread_cond_init)
RADDLE_ON_DESTROY(pthread_cond_destroy)

/* Conditions. While the schedule lasts, a wait is an unlock and, when its turn comes, a lock: the schedule knows who
 * wakes. A thread that still waits in the end goes on waiting for real. */
extern int __real_pthread_cond_wait(void *condition, void *mutex);
extern int __real_pthread_cond_signal(void *condition);
extern int __real_pthread_cond_broadcast(void *condition);

/* Whether the schedule says what the call does that has just come by. */
RADDLE_QUIET static int raddle_is_step_taken(void)
{
    return raddle_self && raddle_self->granted >= 0 && !RADDLE_LOAD(&raddle_released);
}

/* What the environment chose in the course of the step; -1 where it had no choice. */
RADDLE_QUIET static int raddle_pick(void)
{
    return raddle_is_step_taken() ? raddle_schedule[raddle_self->granted].pick : -1;
}

/* 1: woken, by a signal or spuriously; 0: its time is over; -1: it has not happened, and the real call is to wait. */
RADDLE_QUIET static int raddle_wait_step(void *condition, void *mutex, int timed, void *pc)
{
    struct raddle_thread *me = raddle_self;
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, pc);
    int woken = -1;
    if (me && raddle_concurrent && !raddle_alone && !RADDLE_LOAD(&raddle_released)) {
        /* One that is to wake up spuriously leaves at once. */
        int leaves = raddle_pick() == 1;
        me->condition = leaves ? NULL : condition;
        me->signalled = 0;
        __real_pthread_mutex_unlock(mutex);
        raddle_action(RADDLE_WAKE, 0, pc);
        me->condition = NULL;
        woken = me->granted == -1 && !me->signalled ? -1 : me->signalled || raddle_pick() == 1;
        /* One that nobody woke takes the mutex in a step of its own. */
        if (timed && raddle_is_step_taken() && !me->signalled)
            raddle_action(RADDLE_CALL, 0, pc);
        __real_pthread_mutex_lock(mutex);
    }
    return woken;
}

RADDLE_QUIET static int raddle_wait(void *condition, void *mutex, void *pc)
{
    return raddle_wait_step(condition, mutex, 0, pc) < 0 ? __real_pthread_cond_wait(condition, mutex) : 0;
}

/* Notes whom a signal reaches: the waiter that the environment picked, in the threads' order, or all. */
RADDLE_QUIET static void raddle_signal(void *condition, int all, void *pc)
{
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, pc);
    int pick = raddle_pick();
    for (int i = 0; i < raddle_thread_count; i++) {
        struct raddle_thread *t = &raddle_threads[i];
        if (t->condition != condition || t->signalled || (!all && pick-- > 0))
            continue;
        t->signalled = 1;
        if (!all)
            break;
    }
}

RADDLE_QUIET int __wrap_pthread_cond_wait(void *condition, void *mutex)
{
    return raddle_wait(condition, mutex, RADDLE_CALLER);
}

RADDLE_QUIET int __wrap_pthread_cond_signal(void *condition)
{
    raddle_signal(condition, 0, RADDLE_CALLER);
    return __real_pthread_cond_signal(condition);
}

RADDLE_QUIET int __wrap_pthread_cond_broadcast(void *condition)
{
    raddle_signal(condition, 1, RADDLE_CALLER);
    return __real_pthread_cond_broadcast(condition);
}

extern int __real_pthread_once(void *flag, void (*routine)(void));
RADDLE_QUIET static void raddle_once_routine(void)
{
    struct raddle_thread *me = raddle_self;
    me->once();
    raddle_action(RADDLE_ONCE_DONE, 0, NULL);
}

RADDLE_QUIET static int raddle_once(void *flag, void (*routine)(void), void *pc)
{
    struct raddle_thread *me = raddle_self;
    if (!me)
        return __real_pthread_once(flag, routine);
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, pc);
    void (*outer)(void) = me->once;
    me->once = routine;
    int result = __real_pthread_once(flag, raddle_once_routine);
    me->once = outer;
    return result;
}

RADDLE_QUIET int __wrap_pthread_once(void *flag, void (*routine)(void))
{
    return raddle_once(flag, routine, RADDLE_CALLER);
}

/* A result that a library function stores: ThreadSanitizer does not look into those. */
extern void __tsan_write4_pc(void *at, void *pc);
extern void __tsan_write8_pc(void *at, void *pc);
RADDLE_QUIET static void raddle_result(void *at, unsigned size, void *pc)
{
    raddle_action(RADDLE_WRITE, size, pc);
    if (size == 4)
        __tsan_write4_pc(at, pc);
    else
        __tsan_write8_pc(at, pc);
}

/* Threads. */
RADDLE_QUIET static int raddle_create(unsigned long *handle, const void *attributes, void *(*run)(void *),
                                      int (*run_c11)(void *), void *argument, void *pc)
{
    if (!raddle_self)
        return __real_pthread_create(handle, attributes, run, argument);
    raddle_result(handle, sizeof *handle, pc);
    if (raddle_fails())
        return 11; /* EAGAIN */
    struct raddle_thread *t = raddle_new_thread(raddle_self, NULL);
    t->run = run;
    t->run_c11 = run_c11;
    t->argument = argument;
    int result = __real_pthread_create(&t->handle, attributes, raddle_run, t);
    *handle = t->handle;
    if (result != 0)
        raddle_lost("no thread could be created");
    return result;
}

RADDLE_QUIET int __wrap_pthread_create(unsigned long *handle, const void *attributes, void *(*run)(void *), void *argument)
{
    return raddle_create(handle, attributes, run, NULL, argument, RADDLE_CALLER);
}

/* Where all other threads have been joined, there is nobody to be kept back for. */
RADDLE_QUIET static void raddle_joined(const struct raddle_thread *me, unsigned long handle)
{
    int others = 0;
    for (int i = 0; i < raddle_thread_count; i++) {
        struct raddle_thread *t = &raddle_threads[i];
        t->joined |= t->handle == handle && t->status == RADDLE_ENDED;
        others |= t != me && !t->joined;
    }
    raddle_alone = !others;
}

/* `size`: of the result. */
RADDLE_QUIET static int raddle_join(unsigned long handle, void *result, unsigned size, void *pc)
{
    struct raddle_thread *me = raddle_self;
    if (me) {
        raddle_action(0, 0, NULL);
        me->at = *raddle_locate(pc);
        RADDLE_STORE(&me->inside, 1);
    }
    for (int i = 0; i < raddle_thread_count && me; i++) {
        struct raddle_thread *t = &raddle_threads[i];
        if (t->handle == handle && t->status != RADDLE_ENDED && !RADDLE_LOAD(&raddle_released)) {
            me->joins = t;
            raddle_leave(me, RADDLE_JOINING);
            raddle_await_turn(me);
            me->status = RADDLE_RUNNING;
        }
    }
    void *got = NULL;
    int error = __real_pthread_join(handle, &got);
    if (me && !error)
        raddle_joined(me, handle);
    if (me && !error && result)
        raddle_result(result, size, pc);
    if (!error && result)
        raddle_copy(result, &got, size);
    return error;
}

RADDLE_QUIET int __wrap_pthread_join(unsigned long handle, void **result)
{
    return raddle_join(handle, result, sizeof *result, RADDLE_CALLER);
}

extern void __real_pthread_exit(void *result) __attribute__((noreturn));
RADDLE_QUIET void __wrap_pthread_exit(void *result)
{
    int is_main = raddle_self == raddle_threads && raddle_runs_main;
    if (!is_main)
        __real_pthread_exit(result); /* by way of raddle_exits */
    raddle_call_destructors();
    raddle_ended();
    for (int i = 0; is_main && i < raddle_thread_count; i++)
        while (RADDLE_LOAD(&raddle_threads[i].status) != RADDLE_ENDED)
            raddle_usleep(1000);
    if (is_main)
        raddle_finish();
    __real_pthread_exit(result);
}

/* The time that a thread sleeps is no part of any schedule. */
RADDLE_QUIET int __wrap_usleep(unsigned microseconds) { (void)microseconds; return 0; }
RADDLE_QUIET unsigned __wrap_sleep(unsigned seconds) { (void)seconds; return 0; }
RADDLE_QUIET int __wrap_nanosleep(const void *wanted, void *left) { (void)wanted; (void)left; return 0; }

/* What another thread does may come after an abort begins, before it takes effect. */
RADDLE_QUIET static void raddle_aborts(void)
{
    if ((RADDLE_ABOUT_A_RACE || RADDLE_ABOUT_BRANCHES) && raddle_others_go_on())
        raddle_action(RADDLE_EXIT, 0, NULL);
}

extern void __real_abort(void) __attribute__((noreturn));
RADDLE_QUIET void __wrap_abort(void)
{
    raddle_aborts();
    __real_abort();
}

extern void __real___assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
RADDLE_QUIET void __wrap___assert_fail(const char *condition, const char *file, unsigned line, const char *function)
{
    raddle_aborts();
    __real___assert_fail(condition, file, line, function);
}

extern void __real_exit(int code) __attribute__((noreturn));
RADDLE_QUIET void __wrap_exit(int code) { __real_exit(code); } /* by way of raddle_at_exit */
RADDLE_QUIET void __wrap__exit(int code) { (void)code; raddle_program_exits(); }
RADDLE_QUIET void __wrap__Exit(int code) { (void)code; raddle_program_exits(); }

/* C11 threads, by way of POSIX threads: ThreadSanitizer knows only these. In the GNU C library they are the same. */
enum { RADDLE_THRD_BUSY = 1, RADDLE_THRD_ERROR = 2, RADDLE_MTX_RECURSIVE = 1 };

/* Success is 0 on both sides; a failure would be another number, which no correct program asks for. */
#define RADDLE_C11(name, posix, kind) \
    RADDLE_QUIET int __wrap_##name(void *object) \
    { \
        raddle_action(kind, 0, RADDLE_CALLER); \
        __attribute__((musttail)) return __real_##posix(object); \
    }
RADDLE_C11(mtx_lock, pthread_mutex_lock, RADDLE_CALL | RADDLE_READ)
RADDLE_C11(mtx_unlock, pthread_mutex_unlock, RADDLE_CALL | RADDLE_READ)
RADDLE_C11(mtx_destroy, pthread_mutex_destroy, RADDLE_CALL | RADDLE_WRITE)
RADDLE_C11(cnd_destroy, pthread_cond_destroy, RADDLE_CALL | RADDLE_WRITE)

RADDLE_QUIET int __wrap_mtx_trylock(void *mutex)
{
    static int picked;
    struct raddle_thread *me = raddle_self;
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER);
    int error = __real_pthread_mutex_trylock(mutex);
    /* C11 lets it fail without a reason (7.26.4.5): the environment picks 1 then, in a step or before the first. */
    int pick = raddle_pick();
    if (me && !raddle_concurrent && !error && picked < RADDLE_COUNT(raddle_first_picks))
        pick = raddle_first_picks[picked++];
    if (!error && pick == 1) {
        __real_pthread_mutex_unlock(mutex);
        return RADDLE_THRD_BUSY;
    }
    return error ? RADDLE_THRD_BUSY : 0;
}

extern int raddle_mutexattr_init(void *) __asm__("pthread_mutexattr_init");
extern int raddle_mutexattr_settype(void *, int) __asm__("pthread_mutexattr_settype");
RADDLE_QUIET int __wrap_mtx_init(void *mutex, int type)
{
    long attributes[4];
    raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, RADDLE_CALLER);
    raddle_mutexattr_init(attributes);
    raddle_mutexattr_settype(attributes, type & RADDLE_MTX_RECURSIVE);
    int error = __real_pthread_mutex_init(mutex, attributes);
    return error ? RADDLE_THRD_ERROR : 0;
}

RADDLE_QUIET int __wrap_cnd_init(void *condition)
{
    raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, RADDLE_CALLER);
    int error = __real_pthread_cond_init(condition, NULL);
    return error ? RADDLE_THRD_ERROR : 0;
}

RADDLE_QUIET int __wrap_cnd_wait(void *condition, void *mutex) { return raddle_wait(condition, mutex, RADDLE_CALLER); }

RADDLE_QUIET int __wrap_cnd_signal(void *condition)
{
    raddle_signal(condition, 0, RADDLE_CALLER);
    return __real_pthread_cond_signal(condition);
}

RADDLE_QUIET int __wrap_cnd_broadcast(void *condition)
{
    raddle_signal(condition, 1, RADDLE_CALLER);
    return __real_pthread_cond_broadcast(condition);
}

RADDLE_QUIET void __wrap_call_once(void *flag, void (*routine)(void)) { raddle_once(flag, routine, RADDLE_CALLER); }

RADDLE_QUIET int __wrap_thrd_create(unsigned long *handle, int (*run)(void *), void *argument)
{
    return raddle_create(handle, NULL, NULL, run, argument, RADDLE_CALLER) ? RADDLE_THRD_ERROR : 0;
}

RADDLE_QUIET int __wrap_thrd_join(unsigned long handle, int *out)
{
    int error = raddle_join(handle, out, sizeof *out, RADDLE_CALLER);
    return error ? RADDLE_THRD_ERROR : 0;
}

extern int raddle_detach(unsigned long handle) __asm__("pthread_detach");
RADDLE_QUIET int __wrap_thrd_detach(unsigned long handle) { return raddle_detach(handle) ? RADDLE_THRD_ERROR : 0; }
RADDLE_QUIET void __wrap_thrd_exit(int result) { __wrap_pthread_exit((void *)(intptr_t)result); }
RADDLE_QUIET int __wrap_thrd_sleep(const void *wanted, void *left) { (void)wanted; (void)left; return 0; }
