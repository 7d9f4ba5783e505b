//: part c11
/* C11 threads, by way of POSIX threads: ThreadSanitizer knows only these. In the GNU C library they are the same. */
enum { RADDLE_THRD_BUSY = 1, RADDLE_THRD_ERROR = 2, RADDLE_MTX_RECURSIVE = 1 };

//: part c11
/* Success is 0 on both sides; a failure would be another number, which no correct program asks for. */
#define RADDLE_C11(name, posix, kind) \
    RADDLE_QUIET int __wrap_##name(void *object) \
    { \
        raddle_action(kind, 0, RADDLE_CALLER); \
        __attribute__((musttail)) return __real_##posix(object); \
    }
//: wrap mtx_lock needs c11 pthread_mutex_lock
RADDLE_C11(mtx_lock, pthread_mutex_lock, RADDLE_CALL | RADDLE_READ)
//: wrap mtx_unlock needs c11 pthread_mutex_unlock
RADDLE_C11(mtx_unlock, pthread_mutex_unlock, RADDLE_CALL | RADDLE_READ)
//: wrap mtx_destroy needs c11 pthread_mutex_destroy
RADDLE_C11(mtx_destroy, pthread_mutex_destroy, RADDLE_CALL | RADDLE_WRITE)
//: wrap cnd_destroy needs c11 pthread_cond_destroy
RADDLE_C11(cnd_destroy, pthread_cond_destroy, RADDLE_CALL | RADDLE_WRITE)

//: wrap mtx_trylock needs c11 picks pthread_mutex_trylock pthread_mutex_unlock
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

//: wrap mtx_init needs c11 pthread_mutex_init
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

//: wrap cnd_init needs c11 pthread_cond_init
RADDLE_QUIET int __wrap_cnd_init(void *condition)
{
    raddle_action(RADDLE_CALL | RADDLE_WRITE, 0, RADDLE_CALLER);
    int error = __real_pthread_cond_init(condition, NULL);
    return error ? RADDLE_THRD_ERROR : 0;
}

//: wrap cnd_wait needs c11 waits
RADDLE_QUIET int __wrap_cnd_wait(void *condition, void *mutex) { return raddle_wait(condition, mutex, RADDLE_CALLER); }

//: wrap cnd_signal needs c11 pthread_cond_signal
RADDLE_QUIET int __wrap_cnd_signal(void *condition)
{
    raddle_signal(condition, 0, RADDLE_CALLER);
    return __real_pthread_cond_signal(condition);
}

//: wrap cnd_broadcast needs c11 pthread_cond_broadcast
RADDLE_QUIET int __wrap_cnd_broadcast(void *condition)
{
    raddle_signal(condition, 1, RADDLE_CALLER);
    return __real_pthread_cond_broadcast(condition);
}

//: wrap call_once needs c11 once
RADDLE_QUIET void __wrap_call_once(void *flag, void (*routine)(void)) { raddle_once(flag, routine, RADDLE_CALLER); }

//: wrap thrd_create needs c11
RADDLE_QUIET int __wrap_thrd_create(unsigned long *handle, int (*run)(void *), void *argument)
{
    return raddle_create(handle, NULL, NULL, run, argument, RADDLE_CALLER) ? RADDLE_THRD_ERROR : 0;
}

//: wrap thrd_join needs c11
RADDLE_QUIET int __wrap_thrd_join(unsigned long handle, int *out)
{
    int error = raddle_join(handle, out, sizeof *out, RADDLE_CALLER);
    return error ? RADDLE_THRD_ERROR : 0;
}

//: wrap thrd_detach needs c11
extern int raddle_detach(unsigned long handle) __asm__("pthread_detach");
RADDLE_QUIET int __wrap_thrd_detach(unsigned long handle) { return raddle_detach(handle) ? RADDLE_THRD_ERROR : 0; }
//: wrap thrd_exit needs c11 pthread_exit
RADDLE_QUIET void __wrap_thrd_exit(int result) { __wrap_pthread_exit((void *)(intptr_t)result); }
//: wrap thrd_sleep
RADDLE_QUIET int __wrap_thrd_sleep(const void *wanted, void *left) { (void)wanted; (void)left; return 0; }
