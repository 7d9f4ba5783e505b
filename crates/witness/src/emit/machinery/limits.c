//: part limits needs picks errors
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
//: wrap pthread_mutex_timedlock needs limits pthread_mutex_trylock
RADDLE_ON_LIMIT(pthread_mutex_timedlock, pthread_mutex_trylock)
//: wrap pthread_mutex_clocklock needs limits pthread_mutex_trylock
RADDLE_ON_CLOCK(pthread_mutex_clocklock, pthread_mutex_trylock)
//: part limits
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
//: wrap pthread_rwlock_timedrdlock needs limits pthread_rwlock_tryrdlock
RADDLE_ON_RWLOCK_LIMIT(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock)
//: wrap pthread_rwlock_timedwrlock needs limits pthread_rwlock_trywrlock
RADDLE_ON_RWLOCK_LIMIT(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock)

//: wrap mtx_timedlock needs c11 pthread_mutex_timedlock pthread_mutex_trylock
RADDLE_QUIET int __wrap_mtx_timedlock(void *mutex, const void *limit)
{
    raddle_action(RADDLE_CALL | RADDLE_READ, 0, RADDLE_CALLER);
    int scheduled = raddle_is_step_taken();
    int error = scheduled ? __real_pthread_mutex_trylock(mutex) : __real_pthread_mutex_timedlock(mutex, limit);
    int late = error == RADDLE_ETIMEDOUT || (scheduled && error == RADDLE_EBUSY && raddle_is_late(limit) == RADDLE_ETIMEDOUT);
    return late ? RADDLE_THRD_TIMEDOUT : error ? RADDLE_THRD_ERROR : 0;
}

//: part timed-waits needs limits conditions pthread_cond_timedwait
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

//: wrap pthread_cond_timedwait needs timed-waits
RADDLE_QUIET int __wrap_pthread_cond_timedwait(void *condition, void *mutex, const void *limit)
{
    return raddle_timed_wait(condition, mutex, limit, RADDLE_CALLER);
}

//: wrap cnd_timedwait needs c11 timed-waits
RADDLE_QUIET int __wrap_cnd_timedwait(void *condition, void *mutex, const void *limit)
{
    int error = raddle_timed_wait(condition, mutex, limit, RADDLE_CALLER);
    return error == RADDLE_ETIMEDOUT ? RADDLE_THRD_TIMEDOUT : error ? RADDLE_THRD_ERROR : 0;
}
