//: part once needs pthread_once
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

//: wrap pthread_once needs once
RADDLE_QUIET int __wrap_pthread_once(void *flag, void (*routine)(void))
{
    return raddle_once(flag, routine, RADDLE_CALLER);
}

//: core
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

//: wrap pthread_create
RADDLE_QUIET int __wrap_pthread_create(unsigned long *handle, const void *attributes, void *(*run)(void *), void *argument)
{
    return raddle_create(handle, attributes, run, NULL, argument, RADDLE_CALLER);
}

//: core
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

//: wrap pthread_join
RADDLE_QUIET int __wrap_pthread_join(unsigned long handle, void **result)
{
    return raddle_join(handle, result, sizeof *result, RADDLE_CALLER);
}

//: wrap pthread_exit needs exits
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

//: part sleeps
/* The time that a thread sleeps is no part of any schedule. */
//: wrap usleep needs sleeps
RADDLE_QUIET int __wrap_usleep(unsigned microseconds) { (void)microseconds; return 0; }
//: wrap sleep needs sleeps
RADDLE_QUIET unsigned __wrap_sleep(unsigned seconds) { (void)seconds; return 0; }
//: wrap nanosleep needs sleeps
RADDLE_QUIET int __wrap_nanosleep(const void *wanted, void *left) { (void)wanted; (void)left; return 0; }

//: part aborts
/* What another thread does may come after an abort begins, before it takes effect. */
RADDLE_QUIET static void raddle_aborts(void)
{
    if ((RADDLE_ABOUT_A_RACE || RADDLE_ABOUT_BRANCHES) && raddle_others_go_on())
        raddle_action(RADDLE_EXIT, 0, NULL);
}

//: wrap abort needs aborts
extern void __real_abort(void) __attribute__((noreturn));
RADDLE_QUIET void __wrap_abort(void)
{
    raddle_aborts();
    __real_abort();
}

//: wrap __assert_fail needs aborts
extern void __real___assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
RADDLE_QUIET void __wrap___assert_fail(const char *condition, const char *file, unsigned line, const char *function)
{
    raddle_aborts();
    __real___assert_fail(condition, file, line, function);
}

//: wrap exit
extern void __real_exit(int code) __attribute__((noreturn));
RADDLE_QUIET void __wrap_exit(int code) { __real_exit(code); } /* by way of raddle_at_exit */
//: wrap _exit
RADDLE_QUIET void __wrap__exit(int code) { (void)code; raddle_program_exits(); }
//: wrap _Exit
RADDLE_QUIET void __wrap__Exit(int code) { (void)code; raddle_program_exits(); }
