/* ---- Spin locks, semaphores, barriers, time limits, thread-specific data. ---- */

/* A free spin lock is no zero. Those of a data structure that the test has made are initialised when they are first used. */
extern int __real_pthread_spin_init(void *lock, int shared);
RADDLE_QUIET static void raddle_know_spin(void *lock)
{
    static void *known[64];
    static int count;
    int found = raddle_runs_main;
    for (int i = 0; i < count; i++)
        found |= known[i] == lock;
    if (!found && count < RADDLE_COUNT(known)) {
        known[count++] = lock;
        __real_pthread_spin_init(lock, 0);
    }
}

RADDLE_QUIET int __wrap_pthread_spin_init(void *lock, int shared)
{
    raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, RADDLE_CALLER);
    raddle_know_spin(lock);
    __attribute__((musttail)) return __real_pthread_spin_init(lock, shared);
}

#define RADDLE_ON_SPIN(name) \
    extern int __real_##name(void *lock); \
    RADDLE_QUIET int __wrap_##name(void *lock) \
    { \
        raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER); \
        raddle_know_spin(lock); \
        __attribute__((musttail)) return __real_##name(lock); \
    }
RADDLE_ON_SPIN(pthread_spin_lock)
RADDLE_ON_SPIN(pthread_spin_trylock)
RADDLE_ON_SPIN(pthread_spin_unlock)
RADDLE_ON_DESTROY(pthread_spin_destroy)

/* Time limits. While the schedule lasts, a limit is over if the lock is not free; one that is no time never comes. */
RADDLE_QUIET static int raddle_is_late(const void *limit)
{
    const unsigned long *time = limit;
    return time[1] < 1000000000 ? RADDLE_ETIMEDOUT : RADDLE_EINVAL;
}
#define RADDLE_ON_TIMED(name, type, attempt, parameters, arguments) \
    extern int __real_##name parameters; \
    extern int __real_##attempt(void *lock); \
    RADDLE_QUIET int __wrap_##name parameters \
    { \
        raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER); \
        if (!raddle_is_step_taken()) \
            return __real_##name arguments; \
        int error = __real_##attempt(lock); \
        return error == RADDLE_EBUSY ? raddle_is_late(limit) : error; \
    }
#define RADDLE_ON_LIMIT(name, attempt) \
    RADDLE_ON_TIMED(name, , attempt, (void *lock, const void *limit), (lock, limit))
#define RADDLE_ON_CLOCK(name, attempt) \
    RADDLE_ON_TIMED(name, , attempt, (void *lock, int clock, const void *limit), (lock, clock, limit))
RADDLE_ON_LIMIT(pthread_mutex_timedlock, pthread_mutex_trylock)
RADDLE_ON_CLOCK(pthread_mutex_clocklock, pthread_mutex_trylock)
#define RADDLE_ON_RWLOCK_LIMIT(name, attempt) \
    extern int __real_##name(void *lock, const void *limit); \
    extern int __real_##attempt(void *lock); \
    RADDLE_QUIET int __wrap_##name(void *lock, const void *limit) \
    { \
        raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER); \
        if (!raddle_is_step_taken() || raddle_is_late(limit) == RADDLE_EINVAL) \
            return __real_##name(lock, limit); \
        int error = __real_##attempt(lock); \
        return error == RADDLE_EBUSY ? RADDLE_ETIMEDOUT : error; \
    }
RADDLE_ON_RWLOCK_LIMIT(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock)
RADDLE_ON_RWLOCK_LIMIT(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock)

RADDLE_QUIET int __wrap_mtx_timedlock(void *mutex, const void *limit)
{
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER);
    int scheduled = raddle_is_step_taken();
    int error = scheduled ? __real_pthread_mutex_trylock(mutex) : __real_pthread_mutex_timedlock(mutex, limit);
    int late = error == RADDLE_ETIMEDOUT || (scheduled && error == RADDLE_EBUSY && raddle_is_late(limit) == RADDLE_ETIMEDOUT);
    return late ? RADDLE_THRD_TIMEDOUT : error ? RADDLE_THRD_ERROR : 0;
}

extern int __real_pthread_cond_timedwait(void *condition, void *mutex, const void *limit);
RADDLE_QUIET static int raddle_timed_wait(void *condition, void *mutex, const void *limit, void *pc)
{
    if (raddle_is_late(limit) == RADDLE_EINVAL) {
        raddle_action(RADDLE_CALL | RADDLE_READ, 0, pc);
        return RADDLE_EINVAL;
    }
    int result = raddle_wait_step(condition, mutex, 1, pc);
    return result < 0 ? __real_pthread_cond_timedwait(condition, mutex, limit) : result ? 0 : RADDLE_ETIMEDOUT;
}

RADDLE_QUIET int __wrap_pthread_cond_timedwait(void *condition, void *mutex, const void *limit)
{
    return raddle_timed_wait(condition, mutex, limit, RADDLE_CALLER);
}

RADDLE_QUIET int __wrap_cnd_timedwait(void *condition, void *mutex, const void *limit)
{
    int error = raddle_timed_wait(condition, mutex, limit, RADDLE_CALLER);
    return error == RADDLE_ETIMEDOUT ? RADDLE_THRD_TIMEDOUT : error ? RADDLE_THRD_ERROR : 0;
}

/* ThreadSanitizer does not see all of these objects' uses: reads of the first byte, and writes where they begin or end. */
extern void __tsan_read1_pc(const void *at, void *pc);
RADDLE_QUIET static void raddle_uses(const void *object, void *pc)
{
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, pc);
    __tsan_read1_pc(object, pc);
}
RADDLE_QUIET static void raddle_renews(const void *object, void *pc)
{
    raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, pc);
    __tsan_write1_pc(object, pc);
}

/* Semaphores. The schedule knows who gets through; one of a data structure that the test has made counts 0. */
extern int __real_sem_wait(void *semaphore);
extern int __real_sem_trywait(void *semaphore);
extern int __real_sem_timedwait(void *semaphore, const void *limit);
extern int __real_sem_getvalue(void *semaphore, int *value);
/* What such a semaphore has been said to count more, once its value was asked for. */
enum { RADDLE_COUNTED = 8 };
static struct { void *semaphore; int more; } raddle_counted[RADDLE_COUNTED];
RADDLE_QUIET static int *raddle_more(void *semaphore)
{
    int i = 0;
    while (i < RADDLE_COUNTED - 1 && raddle_counted[i].semaphore && raddle_counted[i].semaphore != semaphore)
        i++;
    raddle_counted[i].semaphore = semaphore;
    return &raddle_counted[i].more;
}
RADDLE_QUIET static void raddle_take_more(void *semaphore)
{
    int *more = raddle_more(semaphore);
    if (*more > 0)
        --*more;
    __tsan_acquire(semaphore);
}

RADDLE_QUIET int __wrap_sem_wait(void *semaphore)
{
    /* It may turn out that there is nothing to take, and the call waits. */
    do
        raddle_uses(semaphore, RADDLE_CALLER);
    while (raddle_pick() == 1);
    if (!raddle_is_step_taken())
        return __real_sem_wait(semaphore);
    if (__real_sem_trywait(semaphore))
        raddle_take_more(semaphore);
    return 0;
}

RADDLE_QUIET static int raddle_try_semaphore(void *semaphore, int error)
{
    int pick = raddle_pick();
    if (pick != 1 && __real_sem_trywait(semaphore) == 0)
        return 0;
    if (pick == 0 || (pick < 0 && *raddle_more(semaphore) > 0)) {
        raddle_take_more(semaphore);
        return 0;
    }
    *raddle_errno() = error;
    return -1;
}

RADDLE_QUIET int __wrap_sem_trywait(void *semaphore)
{
    raddle_uses(semaphore, RADDLE_CALLER);
    return raddle_try_semaphore(semaphore, RADDLE_EAGAIN);
}

RADDLE_QUIET int __wrap_sem_timedwait(void *semaphore, const void *limit)
{
    raddle_uses(semaphore, RADDLE_CALLER);
    if (!raddle_is_step_taken() || raddle_is_late(limit) == RADDLE_EINVAL)
        return __real_sem_timedwait(semaphore, limit);
    return raddle_try_semaphore(semaphore, RADDLE_ETIMEDOUT);
}

extern void __tsan_write4_pc(void *at, void *pc);
RADDLE_QUIET int __wrap_sem_getvalue(void *semaphore, int *value)
{
    int now;
    raddle_uses(semaphore, RADDLE_CALLER);
    int error = __real_sem_getvalue(semaphore, &now), pick = raddle_pick();
    if (pick > 0)
        *raddle_more(semaphore) = pick;
    now += *raddle_more(semaphore);
    raddle_result(value, sizeof now, RADDLE_CALLER);
    *value = now;
    return error;
}

extern int __real_sem_post(void *semaphore);
extern int __real_sem_destroy(void *semaphore);
extern int __real_sem_init(void *semaphore, int shared, unsigned value);
RADDLE_QUIET int __wrap_sem_post(void *semaphore)
{
    raddle_uses(semaphore, RADDLE_CALLER);
    __attribute__((musttail)) return __real_sem_post(semaphore);
}
RADDLE_QUIET int __wrap_sem_destroy(void *semaphore)
{
    raddle_renews(semaphore, RADDLE_CALLER);
    __attribute__((musttail)) return __real_sem_destroy(semaphore);
}
RADDLE_QUIET int __wrap_sem_init(void *semaphore, int shared, unsigned value)
{
    raddle_renews(semaphore, RADDLE_CALLER);
    __attribute__((musttail)) return __real_sem_init(semaphore, shared, value);
}

/* Barriers. A thread waits out of the C library's sight, so that the turn can be handed on. */
struct raddle_barrier {
    void *at;
    unsigned count;
    int arrived, round;
    struct raddle_thread *members[RADDLE_COUNT(raddle_threads)];
};
static struct raddle_barrier raddle_barriers[64];
static char raddle_rounds[4096];
static int raddle_round_count, raddle_barriers_lock;

RADDLE_QUIET static struct raddle_barrier *raddle_barrier_at(void *at)
{
    for (int i = 0; i < RADDLE_COUNT(raddle_barriers); i++) {
        struct raddle_barrier *b = &raddle_barriers[i];
        if (b->at == at || !b->at) {
            b->at = at;
            return b;
        }
    }
    raddle_lost("there are too many barriers");
    return NULL;
}

/* Lets all through, in the order of the threads' numbers; `serial` is the place of the one that is told so. */
RADDLE_QUIET static void raddle_complete(struct raddle_barrier *b, int serial)
{
    for (int i = 0; i < b->arrived; i++) {
        int before = 0;
        for (int j = 0; j < b->arrived; j++)
            before += b->members[j]->number < b->members[i]->number;
        b->members[i]->serial = before == serial;
        RADDLE_STORE(&b->members[i]->through, 1);
    }
    b->arrived = 0;
    b->round = raddle_round_count = (raddle_round_count + 1) % RADDLE_COUNT(raddle_rounds);
}

extern int __real_pthread_barrier_init(void *barrier, const void *how, unsigned count);
extern int __real_pthread_barrier_destroy(void *barrier);
extern int __real_pthread_barrier_wait(void *barrier);
RADDLE_QUIET int __wrap_pthread_barrier_init(void *barrier, const void *how, unsigned count)
{
    raddle_renews(barrier, RADDLE_CALLER);
    struct raddle_barrier *b = raddle_barrier_at(barrier);
    b->count = count;
    b->arrived = 0;
    __attribute__((musttail)) return __real_pthread_barrier_init(barrier, how, count);
}

RADDLE_QUIET int __wrap_pthread_barrier_destroy(void *barrier)
{
    raddle_renews(barrier, RADDLE_CALLER);
    raddle_barrier_at(barrier)->count = 0;
    __attribute__((musttail)) return __real_pthread_barrier_destroy(barrier);
}

RADDLE_QUIET int __wrap_pthread_barrier_wait(void *barrier)
{
    enum { SERIAL_THREAD = -1 };
    struct raddle_thread *me = raddle_self;
    if (!me)
        return __real_pthread_barrier_wait(barrier);
    raddle_uses(barrier, RADDLE_CALLER);
    int pick = raddle_pick();
    while (__atomic_test_and_set(&raddle_barriers_lock, __ATOMIC_ACQUIRE))
        ;
    struct raddle_barrier *b = raddle_barrier_at(barrier);
    if (!b->count && pick >= 0) {
        /* One that the test has made: for how many threads it is was chosen with the first arrival. */
        b->count = (unsigned)pick + 2;
        pick = -1;
    }
    int round = b->round;
    b->members[b->arrived++] = me;
    __tsan_release(&raddle_rounds[round]);
    if ((unsigned)b->arrived == b->count)
        raddle_complete(b, pick < 0 ? 0 : pick);
    __atomic_clear(&raddle_barriers_lock, __ATOMIC_RELEASE);
    if (!RADDLE_LOAD(&me->through) && raddle_concurrent && !raddle_alone && !RADDLE_LOAD(&raddle_released)) {
        raddle_leave(me, RADDLE_AT_BARRIER);
        raddle_await_turn(me);
    }
    while (!RADDLE_LOAD(&me->through))
        raddle_usleep(1000);
    me->status = RADDLE_RUNNING;
    RADDLE_STORE(&me->through, 0);
    __tsan_acquire(&raddle_rounds[round]);
    return me->serial ? SERIAL_THREAD : 0;
}

/* Joins that do not wait for good. */
extern int __real_pthread_tryjoin_np(unsigned long thread, void **result);
extern int __real_pthread_timedjoin_np(unsigned long thread, void **result, const void *limit);
RADDLE_QUIET static int raddle_try_join(unsigned long handle, void **result, int late, void *pc)
{
    int ended = 0;
    for (int i = 0; i < raddle_thread_count; i++)
        ended |= raddle_threads[i].handle == handle && raddle_threads[i].status == RADDLE_ENDED;
    return !ended || raddle_pick() == 1 ? late : raddle_join(handle, result, sizeof *result, pc);
}

RADDLE_QUIET int __wrap_pthread_tryjoin_np(unsigned long handle, void **result)
{
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER);
    if (!raddle_is_step_taken())
        return __real_pthread_tryjoin_np(handle, result);
    return raddle_try_join(handle, result, RADDLE_EBUSY, RADDLE_CALLER);
}

RADDLE_QUIET int __wrap_pthread_timedjoin_np(unsigned long handle, void **result, const void *limit)
{
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER);
    if (!raddle_is_step_taken())
        return __real_pthread_timedjoin_np(handle, result, limit);
    return raddle_try_join(handle, result, limit ? raddle_is_late(limit) : RADDLE_ETIMEDOUT, RADDLE_CALLER);
}

/* Thread-specific data. The test calls the destructors itself, before the thread is over to the schedule. */
static struct { unsigned key; void (*destructor)(void *); } raddle_keys[64];
static int raddle_key_count;
extern int __real_pthread_key_create(unsigned *key, void (*destructor)(void *));
extern int __real_pthread_key_delete(unsigned key);
extern void *__real_pthread_getspecific(unsigned key);
extern int __real_pthread_setspecific(unsigned key, const void *value);

RADDLE_QUIET static int raddle_create_key(unsigned *key, void (*destructor)(void *), void *pc)
{
    unsigned made = 0;
    if (!raddle_self)
        return __real_pthread_key_create(key, destructor); /* ThreadSanitizer's own */
    raddle_result(key, sizeof *key, pc);
    int error = __real_pthread_key_create(&made, NULL);
    *key = made;
    int slot = __atomic_fetch_add(&raddle_key_count, 1, __ATOMIC_RELAXED);
    if (slot < RADDLE_COUNT(raddle_keys)) {
        raddle_keys[slot].key = made;
        raddle_keys[slot].destructor = destructor;
    }
    return error;
}

RADDLE_QUIET static int raddle_delete_key(unsigned key, void *pc)
{
    raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, pc);
    for (int i = 0; i < raddle_key_count && i < RADDLE_COUNT(raddle_keys); i++)
        if (raddle_keys[i].key == key)
            raddle_keys[i].destructor = NULL;
    return __real_pthread_key_delete(key);
}

RADDLE_QUIET static void raddle_call_destructors(void)
{
    enum { ROUNDS = 4 };
    for (int round = 0; round < ROUNDS && raddle_self; round++) {
        for (int i = 0; i < raddle_key_count && i < RADDLE_COUNT(raddle_keys); i++) {
            void *value = raddle_keys[i].destructor ? __real_pthread_getspecific(raddle_keys[i].key) : NULL;
            if (value) {
                __real_pthread_setspecific(raddle_keys[i].key, NULL);
                raddle_keys[i].destructor(value);
            }
        }
    }
}

RADDLE_QUIET int __wrap_pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    return raddle_create_key(key, destructor, RADDLE_CALLER);
}
RADDLE_QUIET int __wrap_tss_create(unsigned *key, void (*destructor)(void *))
{
    return raddle_create_key(key, destructor, RADDLE_CALLER) ? RADDLE_THRD_ERROR : 0;
}
RADDLE_QUIET int __wrap_pthread_key_delete(unsigned key) { return raddle_delete_key(key, RADDLE_CALLER); }
RADDLE_QUIET void __wrap_tss_delete(unsigned key) { raddle_delete_key(key, RADDLE_CALLER); }
RADDLE_HOOK(void *, pthread_getspecific, (unsigned key), (key), RADDLE_READ, 0)
RADDLE_HOOK(int, pthread_setspecific, (unsigned key, const void *value), (key, value), RADDLE_READ, 0)
RADDLE_HOOK(void *, tss_get, (unsigned key), (key), RADDLE_READ, 0)
RADDLE_HOOK(int, tss_set, (unsigned key, void *value), (key, value), RADDLE_READ, 0)

/* SV-COMP's atomic sections: the schedule keeps the others back. A function that is one is noticed as it is entered. */
static char raddle_sections;
void raddle_in_atomic_begin(void) __asm__("__VERIFIER_atomic_begin")
    __attribute__((weak, disable_sanitizer_instrumentation, unused, noinline));
void raddle_in_atomic_begin(void)
{
    raddle_action(RADDLE_CALL, 0, RADDLE_CALLER);
    __tsan_acquire(&raddle_sections);
}
void raddle_in_atomic_end(void) __asm__("__VERIFIER_atomic_end")
    __attribute__((weak, disable_sanitizer_instrumentation, unused, noinline));
void raddle_in_atomic_end(void) { __tsan_release(&raddle_sections); }

extern void __real___tsan_func_entry(void *pc);
RADDLE_QUIET void __wrap___tsan_func_entry(void *pc)
{
    if (RADDLE_HAS_ATOMIC_FUNCTIONS && raddle_self)
        raddle_action(RADDLE_ENTER, 0, pc);
    __attribute__((musttail)) return __real___tsan_func_entry(pc);
}
